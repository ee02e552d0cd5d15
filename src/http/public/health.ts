// Whether the process is up, and whether it can answer (docs/api.md, Beside the contract).
import { type ReadStore, StoreRefusal, StoreUnavailable } from "../../store/store.ts";
import type { PublicRoute } from "../request-context.ts";

const HEADERS = { "content-type": "application/json", "cache-control": "no-store" };

/** `/healthz` and `/readyz`; null for any other path. `isStopping`: a server that is stopping is not ready. */
export async function healthPage(
  path: string,
  store: ReadStore,
  isStopping: () => boolean,
): Promise<PublicRoute | null> {
  if (path === "/healthz") return { status: 200, headers: HEADERS, body: '{"status":"up"}' };
  if (path !== "/readyz") return null;
  if (!isStopping() && (await canAnswer(store)))
    return { status: 200, headers: HEADERS, body: '{"status":"ready"}' };
  return { status: 503, headers: { ...HEADERS, "retry-after": "1" }, body: '{"status":"not ready"}' };
}

async function canAnswer(store: ReadStore): Promise<boolean> {
  try {
    await store.ping();
    return true;
  } catch (error) {
    if (error instanceof StoreUnavailable || error instanceof StoreRefusal) return false;
    throw error;
  }
}
