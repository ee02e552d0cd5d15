// Who looked at people's data (docs/security.md, Who looked). What `src/observe.ts` tells the operator has nothing of it.
import type { RoutePattern } from "../resources/resource.ts";
import type { RequestContext } from "./request-context.ts";
import type { Caller } from "./sign-in.ts";

/** One read of people's data. */
export interface Look {
  readonly requestId: string;
  readonly companyId: string;
  /** The id of the key or of the calendar feed; or the person, as the provider names them. */
  readonly by: string;
  readonly endpoint: RoutePattern;
  /** The tool of an assistant that read it; left out otherwise. */
  readonly tool?: string;
  /** The object that was asked for alone; left out for a list. */
  readonly id?: string;
  /** How many objects there were. */
  readonly count: number;
}

/** Called with each; null where nobody wants to know. */
export type Looked = ((look: Look) => void) | null;

/** Notes a read, if it was of somebody. */
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
