// A real server on a port, over a company that is larger than a page.
import { createApp } from "../../src/http/app.ts";
import { ResponseCache } from "../../src/http/middleware/cache.ts";
import { rateLimit } from "../../src/http/middleware/rate-limit.ts";
import { bareParts, CONNECTION } from "../http/bare-parts.ts";
import { assignmentRow, policyRow, requestRow, workerRow } from "../support/rows.ts";
import { addCompany, addKey, openTestStore, type TestStore } from "../support/stores.ts";

export const WORKERS = 230;

export interface ClientServer {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly store: TestStore;
  /** The statuses of all responses so far. */
  readonly statuses: number[];
  stop(): Promise<void>;
}

const number = (index: number) => String(index).padStart(4, "0");

export async function startServer(
  options: { perSecond?: number; corsOrigin?: string } = {},
): Promise<ClientServer> {
  const store = await openTestStore();
  const workers = Array.from({ length: WORKERS }, (_, index) => `wrk_${number(index)}`);
  await addCompany(store.writer, "acme", {
    workers: workers.map((id, index) => workerRow(id, { status: index % 2 === 0 ? "active" : "inactive" })),
    policies: [policyRow("top_annual")],
    assignments: workers.map((id, index) => assignmentRow(`toa_${number(index)}`, id, "top_annual")),
    requests: [requestRow("tor_1", "wrk_0000", "top_annual")],
  });
  const statuses: number[] = [];
  const app = createApp(
    bareParts(store.reader, {
      cache: new ResponseCache(1_000_000),
      today: () => "2026-03-10",
      rateLimit: rateLimit(options.perSecond ?? 0),
      corsOrigin: options.corsOrigin ?? null,
    }),
  );
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const response = await app(request, CONNECTION);
      statuses.push(response.status);
      return response;
    },
  });
  return {
    baseUrl: `http://127.0.0.1:${server.port}`,
    apiKey: await addKey(store.writer, "acme"),
    store,
    statuses,
    async stop() {
      await server.stop(true);
      await store.dispose();
    },
  };
}
