// The pipeline over a real store, called as a caller would, every answer checked.
import { afterAll, expect } from "bun:test";
import { type AppParts, createApp } from "../../src/http/app.ts";
import type { Problem } from "../../src/resources/problems.ts";
import { openTestStore, type TestStore } from "../support/fixtures.ts";
import { bareParts } from "./bare-parts.ts";
import { type Answer, checkAnswer } from "./check.ts";

export const TODAY = "2026-03-01";

export interface Call {
  readonly key?: string | null;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Service extends TestStore {
  /** What the operator would find in the log; a test that makes one takes it out. */
  readonly faults: unknown[];
  call(path: string, call: Call): Promise<Answer>;
  /** As `call`, with the body as it was sent, and unchecked. */
  raw(path: string, call: Call): Promise<{ status: number; headers: Headers; body: Uint8Array }>;
}

/** The pipeline with nothing in its way that a test did not ask for: no limits, no shedding. Removed after the file. */
export async function startService(parts: Partial<AppParts> = {}): Promise<Service> {
  const store = await openTestStore();
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
    await store.dispose();
  });
  async function raw(path: string, { key = null, method = "GET", headers = {} }: Call) {
    const own: Record<string, string> = key === null ? { ...headers } : { "x-api-key": key, ...headers };
    const response = await app(
      new Request(`http://rollcall.test${path}`, { method, headers: own }),
      () => "192.0.2.1",
    );
    return { status: response.status, headers: response.headers, body: await response.bytes() };
  }
  return {
    ...store,
    faults,
    raw,
    async call(path, call) {
      const { status, headers, body } = await raw(path, call);
      const answer = { status, headers, text: new TextDecoder().decode(body) };
      if (path.startsWith("/v1")) checkAnswer(path.split("?")[0]!, answer);
      return answer;
    },
  };
}

export interface ListBody {
  readonly count: number;
  readonly data: readonly { readonly id: string; readonly [key: string]: unknown }[];
  readonly hasMore: boolean;
}

/** The list in a 200, which `checkAnswer` has held to its schema. */
export function listOf(answer: Answer): ListBody {
  if (answer.status !== 200) throw new Error(`expected a list, got ${answer.status}: ${answer.text}`);
  return JSON.parse(answer.text) as ListBody; // checked already
}

export function idsOf(answer: Answer): string[] {
  return listOf(answer).data.map(({ id }) => id);
}

/** The problem in an answer that is one, which `checkAnswer` has held to its schema. */
export function problemOf(answer: Answer): Problem {
  if (answer.status < 400) throw new Error(`expected a problem, got ${answer.status}: ${answer.text}`);
  return JSON.parse(answer.text) as Problem; // checked already
}
