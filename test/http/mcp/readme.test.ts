// The README's two questions: one call each, and its numbers.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { addKey } from "../../support/stores.ts";
import { startService } from "../service.ts";
import { connectTo } from "./assistant.ts";

const ROOT = join(import.meta.dir, "../../..");
const service = await startService({ today: () => "2026-11-21" });
const run = (...args: string[]) =>
  Bun.spawnSync([join(ROOT, "bin/rollcall"), ...args], {
    cwd: ROOT,
    env: { ...process.env, ROLLCALL_DB: service.path },
  });
run("companies", "create", "acme");
expect(run("import", "examples/acme", "--company", "acme", "--map", "examples/acme.map.json").exitCode).toBe(
  0,
);
const { call } = await connectTo(service.app, await addKey(service.writer, "acme"));

test("Who is away in the week of 30 November?", async () => {
  const { rows } = await call("who_is_away", { from: "2026-11-30", to: "2026-12-06" });
  expect(rows).toMatchObject([
    {
      person: { name: "Haru" },
      from: "2026-11-30",
      to: "2026-11-30",
      startsAt: "13:00",
      endsAt: "17:00",
      hours: 4,
    },
  ]);
});

test("What will Françoise have at the end of the year?", async () => {
  const { rows } = await call("time_off_balance", { people: ["Françoise"], on: "2026-12-31" });
  expect(rows[0]).toMatchObject({ hours: (1260 + 600) / 60, days: 3.88 });
});
