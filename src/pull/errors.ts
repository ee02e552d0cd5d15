// How a pull ends when it cannot be done. No message has a secret.

/** The pull was refused: for what the API responded, or for the folder. Nothing was written. */
export class PullRefused extends Error {
  override readonly name: string = "PullRefused";

  /** `said`: by the API, at the end of the message. It may name people, so only `reason` is stored. */
  constructor(
    readonly reason: string,
    readonly said = "",
  ) {
    super(reason + said);
  }
}

/** The API did not respond, or said that it cannot now. Another pull may succeed. */
export class UpstreamAway extends PullRefused {
  override readonly name = "UpstreamAway";
}

/** The API refused a path: 401, 403 or 404. */
export class PathDenied extends PullRefused {
  override readonly name = "PathDenied";

  constructor(
    reason: string,
    said: string,
    readonly status: number,
  ) {
    super(reason, said);
  }

  /** The same, with what gives the right. */
  withHint(hint: string | undefined): PathDenied {
    return hint === undefined || this.status === 401
      ? this
      : new PathDenied(`${this.reason} (${hint})`, this.said, this.status);
  }
}
