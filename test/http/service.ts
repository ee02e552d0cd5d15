// The pipeline on a real store, called as a caller would. Every response is checked.
import { afterAll, expect } from "bun:test";
import { type App, type AppParts, createApp } from "../../src/http/app.ts";
import type { Problem } from "../../src/resources/problems.ts";
import { openTestStore, type TestStore } from "../support/stores.ts";
import { bareParts, CONNECTION } from "./bare-parts.ts";
import { type CheckedResponse, checkResponse } from "./check.ts";

export const TODAY = "2026-03-01";

export interface Call {
  readonly key?: string | null;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the connection comes from a trusted proxy. */
  readonly isFromProxy?: boolean;
}

export interface Service extends TestStore {
  readonly app: App;
  /** Faults that the operator would find in the log. A test that causes one removes it. */
  readonly faults: unknown[];
  call(path: string, call: Call): Promise<CheckedResponse>;
  /** As `call`, but unchecked, with the body as sent. */
  raw(path: string, call: Call): Promise<{ status: number; headers: Headers; body: Uint8Array }>;
}

/**
 * A pipeline without limits or load shedding, except what `parts` adds. Its store is removed after the test file, unless it is
 * given: a store of its own costs PostgreSQL a hundred times as much as a request.
 */
export async function startService(parts: Partial<AppParts> = {}, given?: TestStore): Promise<Service> {
  const store = given ?? (await openTestStore());
  const faults: unknown[] = [];
  const app = createApp(
    bareParts(store.reader, {
      observe: (seen) => {
        if (seen.kind === "fault") faults.push(seen.error);
      },
      today: () => TODAY,
      ...parts,
    }),
  );
  afterAll(async () => {
    expect(faults).toEqual([]);
    if (given === undefined) await store.dispose();
  });
  async function raw(
    path: string,
    { key = null, method = "GET", headers = {}, isFromProxy = false, body }: Call,
  ) {
    const own: Record<string, string> = key === null ? { ...headers } : { "x-api-key": key, ...headers };
    const response = await app(
      new Request(`http://rollcall.test${path}`, { method, headers: own, body: body ?? null }),
      {
        ...CONNECTION,
        isFromProxy: () => isFromProxy,
      },
    );
    return { status: response.status, headers: response.headers, body: await response.bytes() };
  }
  return {
    ...store,
    app,
    faults,
    raw,
    async call(path, call) {
      const { status, headers, body } = await raw(path, call);
      const response = { status, headers, text: new TextDecoder().decode(body) };
      if (path.startsWith("/v1")) checkResponse(path.split("?")[0]!, response);
      return response;
    },
  };
}

export interface ListBody {
  readonly count: number;
  readonly data: readonly { readonly id: string; readonly [key: string]: unknown }[];
  readonly hasMore: boolean;
}

/** The list in a 200, whose schema `checkResponse` has checked. */
export function listOf(response: CheckedResponse): ListBody {
  if (response.status !== 200) throw new Error(`expected a list, got ${response.status}: ${response.text}`);
  return JSON.parse(response.text) as ListBody; // checked already
}

export function idsOf(response: CheckedResponse): string[] {
  return listOf(response).data.map(({ id }) => id);
}

/** The problem in an error response, whose schema `checkResponse` has checked. */
export function problemOf(response: CheckedResponse): Problem {
  if (response.status < 400) throw new Error(`expected a problem, got ${response.status}: ${response.text}`);
  return JSON.parse(response.text) as Problem; // checked already
}
