// An assistant: the SDK's own client, over a pipeline or a server.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { App } from "../../../src/http/app.ts";
import { CONNECTION } from "../bare-parts.ts";

/** The specifications: the newest one, and the one of older clients. */
export const SPECIFICATIONS = ["2026-07-28", "2025-11-25"] as const;

export interface Assistant {
  readonly client: Client;
  /** Calls a tool. The text is what the assistant reads; `rows` is empty for an error. */
  call(tool: string, given?: Record<string, unknown>): Promise<Said>;
}

export interface Said {
  readonly text: string;
  readonly isError: boolean;
  readonly structured: Record<string, unknown>;
  readonly rows: readonly Record<string, unknown>[];
}

export interface AssistantOptions {
  readonly specification?: (typeof SPECIFICATIONS)[number];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Connects to a pipeline. The client checks structured content against the output schema of each tool. */
export function connectTo(
  app: App,
  key: string | null,
  { specification = "2026-07-28", headers = {} }: AssistantOptions = {},
): Promise<Assistant> {
  const own: Record<string, string> = key === null ? { ...headers } : { "x-api-key": key, ...headers };
  const transport = new StreamableHTTPClientTransport(new URL("http://rollcall.test/mcp"), {
    requestInit: { headers: own },
    fetch: async (url, init) => app(new Request(url, init as RequestInit), CONNECTION), // Bun's and the SDK's types differ
  });
  return connected(transport, specification);
}

/** Connects by any transport. */
export async function connected(
  transport: Parameters<Client["connect"]>[0],
  specification: (typeof SPECIFICATIONS)[number],
): Promise<Assistant> {
  const mode = specification === "2026-07-28" ? { pin: specification } : "legacy";
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  await client.listTools();
  return {
    client,
    async call(tool, given = {}) {
      const result = await client.callTool({ name: tool, arguments: given });
      const content = result.content as { text: string }[]; // our tools send text alone
      const structured = (result.structuredContent ?? {}) as Record<string, unknown>; // an object, if there is any
      const rows = (structured.rows ?? []) as Record<string, unknown>[]; // the client has checked the schema
      return { text: content[0]!.text, isError: result.isError === true, structured, rows };
    },
  };
}
