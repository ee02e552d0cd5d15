// The recipes of docs/recipes run as they are, against a real server. Needs Debian's python3-pandas.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { serveStore } from "../http/process.ts";
import { assignmentRow, policyRow, workerRow } from "../support/rows.ts";
import { addCompany, addKey } from "../support/stores.ts";

const served = await serveStore();
await addCompany(served.writer, "acme", {
  workers: [
    workerRow("wrk_a", { displayName: "Françoise Núñez" }),
    workerRow("wrk_b", { displayName: "NA" }),
    workerRow("wrk_left", { displayName: "Gone", status: "inactive" }),
  ],
  policies: [policyRow("top_x", { name: "Leave" })],
  assignments: ["a", "b", "left"].map((id) => assignmentRow(`toa_${id}`, `wrk_${id}`, "top_x")),
});
const key = await addKey(served.writer, "acme");

test("pandas: everybody's balances in days, with every name", async () => {
  const file = join(import.meta.dir, "../../examples/recipes/balances.py");
  const run = Bun.spawnSync(["/usr/bin/python3", file, "2026-03-01"], {
    env: { PATH: process.env.PATH!, ROLLCALL_URL: served.address, ROLLCALL_KEY: key, LC_ALL: "C.UTF-8" },
  });
  expect(run.stderr.toString()).toBe("");
  const url = `${served.address}/v1/time_off/balances?endDate=2026-03-01&workerIds=wrk_a`;
  const { data } = await (await fetch(url, { headers: { "x-api-key": key } })).json();
  const days = ((data[0].available + data[0].accruedLocked) / 480).toFixed(2);
  const rows: Record<string, string>[] = parse(run.stdout.toString(), { columns: true });
  expect(rows.map(({ displayName, Leave }) => [displayName, Number(Leave).toFixed(2)])).toEqual([
    ["Françoise Núñez", days],
    ["NA", days],
  ]);
});
