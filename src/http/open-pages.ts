// What needs no key: the reference and the health checks.
import type { ReadStore } from "../store/store.ts";
import type { OpenPage } from "./app.ts";
import { acceptsGzip } from "./encoding.ts";
import { healthPage } from "./health.ts";
import { reference } from "./reference/reference.ts";

export type OpenPages = (path: string, acceptEncoding: string | null) => Promise<OpenPage | null>;

/** `isStopping`: a server that is stopping is not ready for more. */
export function openPages(store: ReadStore, isStopping: () => boolean): OpenPages {
  return async (path, acceptEncoding) =>
    reference(path, acceptsGzip(acceptEncoding)) ?? (await healthPage(path, store, isStopping));
}
