// Sends the same bytes for every request: bun constant.ts FILE PORT.
import { readFileSync } from "node:fs";

const [file, port] = process.argv.slice(2);
const body = readFileSync(file!);
const headers = { "content-type": "application/json", etag: '"constant"' };
Bun.serve({ hostname: "127.0.0.1", port: Number(port), fetch: () => new Response(body, { headers }) });
