// What needs no key: the reference, the health checks, and the page where there is one.
import type { ReadStore } from "../../store/store.ts";
import { acceptsGzip } from "../middleware/encoding.ts";
import type { PublicRoute } from "../request-context.ts";
import { healthPage } from "./health.ts";
import { reference } from "./reference/reference.ts";

export type PublicRoutes = (path: string, acceptEncoding: string | null) => Promise<PublicRoute | null>;

/** Files that are ready to be served; null where there is none at this path. */
export type FilePages = (path: string, acceptsGzip: boolean) => PublicRoute | null;

export interface PublicRoutesParts {
  readonly store: ReadStore;
  /** A server that is stopping is not ready for more. */
  readonly isStopping: () => boolean;
  readonly page: FilePages;
}

export function publicRoutes({ store, isStopping, page }: PublicRoutesParts): PublicRoutes {
  return async (path, acceptEncoding) => {
    const gzip = acceptsGzip(acceptEncoding);
    return reference(path, gzip) ?? page(path, gzip) ?? (await healthPage(path, store, isStopping));
  };
}
