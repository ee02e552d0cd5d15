// What an engineer might write instead: Fastify with a schema for the query, a key checked by its digest, entity tags, and objects that
// are parsed and serialised. node framework.mjs STORE COMPANY KEY PORT.
import { createHash } from "node:crypto";
import etag from "@fastify/etag";
import Fastify from "fastify";
import Database from "libsql";

const [store, company, key, port] = process.argv.slice(2);
const database = new Database(store, { readonly: true });
const page = database.prepare("select doc from workers where company_id = ? and id > ? order by id limit ?");
const one = database.prepare("select doc from workers where company_id = ? and id = ?");

const digestOf = (text) => createHash("sha256").update(text).digest("hex");
const keys = new Set([digestOf(key)]);

const app = Fastify();
await app.register(etag);
app.addHook("onRequest", async (request, reply) => {
  if (!keys.has(digestOf(request.headers["x-api-key"] ?? "")))
    return reply.code(401).send({ error: "no such key" });
});
const querystring = {
  type: "object",
  additionalProperties: false,
  properties: {
    afterId: { type: "string" },
    limit: { type: "integer", minimum: 1, maximum: 100, default: 25 },
  },
};
app.get("/v1/workers", { schema: { querystring } }, async (request) => {
  const { afterId = "", limit } = request.query;
  const rows = page.all(company, afterId, limit + 1);
  const data = rows.slice(0, limit).map(({ doc }) => JSON.parse(doc));
  return { count: data.length, data, hasMore: rows.length > limit };
});
app.get("/v1/workers/:id", async (request, reply) => {
  const row = one.get(company, request.params.id);
  return row === undefined ? reply.code(404).send({ error: "no such worker" }) : JSON.parse(row.doc);
});
await app.listen({ host: "127.0.0.1", port: Number(port) });
