// The parts of a pipeline without limits, for tests and benchmarks. Each names the parts that it wants otherwise.
import type { AppParts } from "../../src/http/app.ts";
import { LONGEST_MS } from "../../src/http/computation.ts";
import { ResponseCache } from "../../src/http/middleware/cache.ts";
import { publicRoutes } from "../../src/http/public/public-routes.ts";
import type { Connection } from "../../src/http/request-context.ts";
import { STREAM_LIMITS } from "../../src/http/stream.ts";
import { visibilityCache } from "../../src/http/visibility.ts";
import { Waits } from "../../src/http/waits.ts";
import type { ReadStore } from "../../src/store/store.ts";

/** A request of this process itself. */
export const CONNECTION: Connection = {
  address: () => "192.0.2.1",
  isFromProxy: () => false,
  limitIdle: () => {},
};

/** No limits, no load shedding, no CORS, no observer. */
export function bareParts(store: ReadStore, wanted: Partial<AppParts> & Pick<AppParts, "today">): AppParts {
  return {
    store,
    visible: visibilityCache(),
    cache: new ResponseCache(4 * 1024 * 1024),
    longestMs: LONGEST_MS,
    looked: null,
    observe: () => {},
    rateLimit: null,
    failureLimit: null,
    admission: { acquire: async () => () => {} },
    waits: new Waits(store),
    streamLimits: STREAM_LIMITS,
    corsOrigin: null,
    serverTiming: false,
    isTls: false,
    basePath: "",
    traced: null,
    used: () => {},
    proxyAuth: null,
    signIn: null,
    allowsFeeds: false,
    accessTokens: null,
    publicRoutes: publicRoutes({ store, isStopping: () => false, page: () => null }),
    ...wanted,
  };
}
