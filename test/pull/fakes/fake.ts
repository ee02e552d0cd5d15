// A made-up API on this machine, with the faults that real ones have. Each fake in test/onboarding/fakes was written from its vendor's
// public descriptions, which docs/presets.md names.
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const PRESETS = join(import.meta.dir, "../../../src/onboarding/presets");

/** The folder with what a preset's system sends. */
export const exampleOf = (preset: string) => join(PRESETS, preset, "example");

type Rows = Record<string, unknown>[];

/** A file that a preset's system sends. */
export function sample(preset: string, file: string): Rows & Record<string, Rows> {
  return JSON.parse(readFileSync(join(exampleOf(preset), file), "utf8"));
}

/** What a request gets instead of its response. `cut`: half of the body; `silent`: nothing, until the client gives up. */
export type Fault = Response | "cut" | "silent" | null;

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

export class Fake {
  /** Every request, as `GET /path?query`. */
  readonly asked: string[] = [];
  readonly hosts = new Set<string>();
  /** Called with the number of each request, from 0. */
  fault: (number: number, path: string) => Fault = () => null;
  readonly #server: Server;

  private constructor(respond: (asked: Asked) => Response) {
    this.#server = createServer(async (request, response) => {
      const url = new URL(request.url!, "http://fake"); // of a request there is one
      this.asked.push(`${request.method} ${url.pathname}${url.search}`);
      this.hosts.add(request.headers.host ?? "");
      const fault = this.fault(this.asked.length - 1, url.pathname);
      if (fault === "silent") return;
      const text = await new Response(request as unknown as ReadableStream).text(); // a stream of Node can be read so
      const headers = new Headers(request.headers as Record<string, string>);
      const body = headers.get("content-type") === "application/json" ? JSON.parse(text) : {};
      const query = url.searchParams;
      const asked = { method: request.method!, path: url.pathname, query, headers, text, json: body };
      const answer = fault instanceof Response ? fault : respond(asked);
      const content = await answer.text();
      response.writeHead(answer.status, {
        ...Object.fromEntries(answer.headers),
        "content-length": Buffer.byteLength(content),
      });
      if (fault !== "cut") response.end(content);
      else response.write(content.slice(0, content.length / 2), () => response.destroy());
    });
  }

  static async start(respond: (asked: Asked) => Response): Promise<Fake> {
    const fake = new Fake(respond);
    await new Promise<void>((resolve) => fake.#server.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // it listens
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function json(value: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(value), { headers: { "content-type": "application/json", ...headers } });
}

export function status(code: number, text = "", headers: Record<string, string> = {}): Response {
  return new Response(text, { status: code, headers });
}

/** What a fake offers to the tests of presets. */
export interface FakeOfPreset {
  readonly fake: Fake;
  /** Where the pull file's paths begin. */
  readonly base: string;
  readonly env: Record<string, string>;
}
