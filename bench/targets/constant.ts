// A server that sends one constant body, with as many headers as a page has: what Bun itself takes for a response.
// Arguments: the port, the file of the body, the headers as JSON.
import { readFileSync } from "node:fs";

const [, , port, bodyFile, headers] = process.argv;
const body = readFileSync(bodyFile!);
const init = { status: 200, headers: JSON.parse(headers!) as Record<string, string> }; // as bench/single/loop.ts writes it
const send = () => new Response(body, init);

Bun.serve({ hostname: "127.0.0.1", port: Number(port), routes: { "/v1/workers": send }, fetch: send });
