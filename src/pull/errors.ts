// Failures of a pull. No message contains a secret.

/** The pull was refused, because of the API's response or the folder. Nothing was written. */
export class PullRefused extends Error {
  override readonly name: string = "PullRefused";

  /** `said` is the API's own message. It may name people, so only `reason` is stored. `status` is the response's; null without one. */
  constructor(
    readonly reason: string,
    readonly said = "",
    readonly status: number | null = null,
  ) {
    super(reason + said);
  }
}

/** The API did not respond, or is unavailable for now. A later pull may succeed. */
export class UpstreamAway extends PullRefused {
  override readonly name = "UpstreamAway";
}

/** The API refused a path: 401, 403 or 404. */
export class PathDenied extends PullRefused {
  override readonly name = "PathDenied";

  /** The same error with a hint at how to get the permission. */
  withHint(hint: string | undefined): PathDenied {
    return hint === undefined || this.status === 401
      ? this
      : new PathDenied(`${this.reason} (${hint})`, this.said, this.status);
  }
}
