// A `fetch` with scripted responses that records its requests: for what a healthy server does not do on demand.
import { Rollcall, type RollcallOptions } from "../../src/client/index.ts";

export interface Asked {
  readonly url: string;
  readonly headers: Headers;
}

export type Step = Response | Error | ((init: RequestInit) => Promise<Response>);

export function scripted(steps: readonly Step[], options: Partial<RollcallOptions> = {}) {
  const asked: Asked[] = [];
  const rollcall = new Rollcall({
    baseUrl: "http://rollcall.test/",
    apiKey: "rk_test",
    fetch: async (url, init) => {
      const step = steps[asked.length];
      asked.push({ url: url.slice("http://rollcall.test".length), headers: new Headers(init.headers) });
      if (step === undefined) throw new Error("the script has no more steps");
      if (step instanceof Response) return step;
      if (step instanceof Error) throw step;
      return step(init);
    },
    ...options,
  });
  return { rollcall, asked };
}

export function ok(body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { headers: { "content-type": "application/json", ...headers } });
}

export function page(ids: readonly string[], hasMore: boolean): Response {
  return ok({ count: ids.length, data: ids.map((id) => ({ id })), hasMore });
}

export function problem(status: number, code: string, headers: Record<string, string> = {}): Response {
  const body = {
    type: `/docs/errors#${code}`,
    title: code,
    status,
    detail: "what is wrong",
    code,
    requestId: "req-1",
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
}

/** Never responds; gives up when the caller does, as `fetch` would. */
export const silence: Step = ({ signal }) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
