// What the tests of the feed share.
import type { CheckedResponse } from "../../check.ts";

export const PATH = "/v1/changes";

export interface Changes {
  readonly count: number;
  readonly data: readonly {
    readonly resource: string;
    readonly id: string;
    readonly removed: boolean;
    readonly object: { readonly id: string; readonly reason?: string | null } | null;
  }[];
  readonly hasMore: boolean;
  readonly position: string;
  readonly asOf: string | null;
}

/** The page in a 200, whose schema `checkResponse` has checked. */
export function changesOf(response: CheckedResponse): Changes {
  if (response.status !== 200) throw new Error(`expected a page, got ${response.status}: ${response.text}`);
  return JSON.parse(response.text) as Changes; // checked already
}
