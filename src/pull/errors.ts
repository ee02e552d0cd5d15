// How a pull ends when it cannot be done. No message has a secret, or anything of a person.

/** The pull was refused: for what the API responded, or for the folder. Nothing was written. */
export class PullRefused extends Error {
  override readonly name: string = "PullRefused";
}

/** The API did not respond, or said that it cannot now. Another pull may succeed. */
export class UpstreamAway extends PullRefused {
  override readonly name = "UpstreamAway";
}

/** The API refused a path: 401, 403 or 404. */
export class PathDenied extends PullRefused {
  override readonly name = "PathDenied";

  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}
