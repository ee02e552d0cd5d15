// The workers of the big company as the peers want them: a table with a column for each key of the wire object, and the
// same rows as one JSON file.
import { Database } from "bun:sqlite";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { Worker } from "../../src/resources/workers.ts";
import { BIG, dataPath } from "./shape.ts";

export const PEER_TABLE = dataPath("peers.db");
export const PEER_JSON = dataPath("peers.json");

export function makePeerData(storePath: string): void {
  if (existsSync(PEER_JSON)) return;
  rmSync(PEER_TABLE, { force: true });
  const store = new Database(storePath, { readonly: true });
  const docs = store.query("select doc from workers where company_id = ? order by id").values(BIG.id);
  const workers = docs.map(([doc]) => JSON.parse(String(doc)) as Worker); // as the bench wrote them
  store.close();
  const keys = Object.keys(workers[0]!) as (keyof Worker)[]; // all have the same
  const database = new Database(PEER_TABLE, { create: true });
  const columns = keys.map((key) => `${key} ${key === "isBusiness" ? "integer" : "text"}`);
  database.run(`create table workers (${columns.join(", ").replace("id text", "id text primary key")})`);
  const insert = database.prepare(`insert into workers values (${keys.map(() => "?").join(", ")})`);
  database.transaction(() => {
    for (const worker of workers) insert.run(...keys.map((key) => worker[key]));
  })();
  database.close();
  writeFileSync(PEER_JSON, JSON.stringify({ workers }));
}
