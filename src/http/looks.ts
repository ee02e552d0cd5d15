// Who looked at personal data (docs/security.md, Who looked). The operational log has none of this.
import type { RoutePattern } from "../resources/resource.ts";
import type { RequestContext } from "./request-context.ts";
import type { Caller } from "./sign-in.ts";

/** One read of personal data, or one feed made. */
export interface Look {
  readonly requestId: string;
  readonly companyId: string;
  /** The id of the key or feed; or the person, as the provider names them. */
  readonly by: string;
  readonly endpoint: RoutePattern;
  /** The assistant's tool that read it; omitted otherwise. */
  readonly tool?: string;
  /** The requested object, or the new feed; omitted for a list. */
  readonly id?: string;
  readonly count: number;
}

/** Called with each look; null if they are not logged. */
export type Looked = ((look: Look) => void) | null;

/** Records a read, if it was of personal data. */
export function noteLook(
  looked: Looked,
  { requestId, tool }: RequestContext,
  {
    key,
    person,
  }: Pick<Caller, "person"> & { readonly key: { readonly id: string; readonly companyId: string } },
  endpoint: RoutePattern,
  count: number,
  id = "",
): void {
  if (count === 0) return;
  looked?.({
    requestId,
    companyId: key.companyId,
    by: person?.user ?? key.id,
    endpoint,
    ...(tool !== null && { tool: tool.tool }),
    ...(id !== "" && { id }),
    count,
  });
}
