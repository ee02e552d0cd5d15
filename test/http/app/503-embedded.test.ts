// The embedded store's file is removed, replaced or migrated while a server runs.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { startService } from "../service.ts";

test.each([
  ["removed", (path: string) => renameSync(path, `${path}.away`)],
  [
    "replaced by something else",
    (path: string) => {
      rmSync(path);
      writeFileSync(path, "this is no database, and long enough to be looked at ".repeat(200));
    },
  ],
  [
    "migrated by a later version",
    (path: string) => {
      const database = new Database(path);
      const version = Number(database.query("pragma user_version").values()[0]![0]);
      database.run(`pragma user_version = ${version + 1}`);
      database.close();
    },
  ],
])("the store's file is %s: 503, and /readyz is 503", async (_, spoil) => {
  const service = await startService();
  await addCompany(service.writer, "acme", sampleFacts());
  const own = await addKey(service.writer, "acme");
  expect((await service.call("/v1/workers", { key: own })).status).toBe(200);
  expect((await service.call("/readyz", {})).status).toBe(200);
  spoil(service.path);
  await Bun.sleep(250);
  for (const path of ["/v1/workers", "/v1/time_off/balances", "/v1/workers/wrk_ana"]) {
    const response = await service.call(path, { key: own });
    expect(response.status).toBe(503);
    expect(response.text).not.toContain(service.path);
  }
  const ready = await service.call("/readyz", {});
  expect([ready.status, ready.headers.get("retry-after")]).toEqual([503, "1"]);
  expect((await service.call("/healthz", {})).status).toBe(200);
});
