// An assistant's tools and a calendar feed of some workers.
import { expect } from "bun:test";
import { newCalendar } from "../../../../src/http/new-key.ts";
import type { KeyAccess } from "../../../../src/store/store.ts";
import { formatDay, utcDayOf } from "../../../../src/time/day.ts";
import { addKey } from "../../../support/stores.ts";
import { type Assistant, connectTo } from "../../mcp/assistant.ts";
import { allRows, ask, type Row, type Scene } from "./asking.ts";
import { DEPARTMENTS } from "./company.ts";

export async function compareTools(scene: Scene): Promise<void> {
  const { service, company } = scene;
  const access: KeyAccess = {
    level: "no-reasons",
    workers: [],
    departments: [company.pick(DEPARTMENTS)],
    managers: [company.storedWorker()],
  };
  const assistant = await connectTo(service.app, await addKey(service.writer, "acme", { access }));
  const visible = company.visibleTo(access);
  const day = formatDay(utcDayOf(company.pick(scene.moments)));
  await compareBalanceTool(scene, assistant, visible, day);
  await compareMovementsTool(scene, assistant, visible, day);
}

async function compareBalanceTool(
  scene: Scene,
  assistant: Assistant,
  visible: ReadonlySet<string>,
  day: string,
): Promise<void> {
  const { company } = scene;
  const people = [...new Set([company.pick([...visible]), company.anyWorker()])];
  const said = await assistant.call("time_off_balance", { people, known_on: day });
  const label = `${people} as known on ${day}`;
  if (!people.every((id) => visible.has(id) && company.people.has(id))) {
    expect({ label, isError: said.isError }).toEqual({ label, isError: true });
    return;
  }
  const path = `/v1/time_off/balances?knownOn=${day}&workerIds=${people.join(",")}`;
  const balances = await allRows(scene, path, scene.all);
  const own = said.rows.map((row) => `${(row.person as Row).id} ${(row.policy as Row).id} ${row.hours}`);
  const wanted = balances.map((row) => `${row.workerId} ${row.policyId} ${hoursLeft(row)}`);
  expect({ label, rows: own }).toEqual({ label, rows: wanted });
}

/** What is left of a balance, as the tool says it: hours with two digits. */
function hoursLeft(balance: Row): number {
  const [unlocked, locked, used, held] = ["accruedUnlocked", "accruedLocked", "used", "holds"].map((name) =>
    Number(balance[name]),
  );
  return Math.round((unlocked! + locked! - used! - held!) / 0.6) / 100;
}

async function compareMovementsTool(
  scene: Scene,
  assistant: Assistant,
  visible: ReadonlySet<string>,
  day: string,
): Promise<void> {
  const period = { from: "2026-10-01", to: "2026-11-30" };
  const said = await assistant.call("time_off_movements", {
    ...period,
    known_on: day,
    group_by: ["worker", "policy"],
  });
  const path = `/v1/time_off/movements?knownOn=${day}&from=${period.from}&to=${period.to}&groupBy=worker,policy`;
  const wanted = (await allRows(scene, path, scene.all)).filter(({ workerId }) => visible.has(workerId!));
  const own = said.rows.map((row) => (row.person as Row).id);
  const ids = wanted.map(({ workerId }) => workerId!);
  expect({ day, own }).toEqual({ day, own: ids.slice(0, own.length) });
  // The tool sends pages.
  expect(own.length).toBeGreaterThanOrEqual(Math.min(wanted.length, 30));
}

export async function compareFeed(scene: Scene): Promise<void> {
  const { service, company } = scene;
  const workers = [company.anyWorker(), company.anyWorker(), company.anyWorker()];
  const definition = { workers, types: [], policies: [], show: "busy", withPending: false } as const;
  const nowMs = Date.now();
  const { secret, stored } = newCalendar({ companyId: "acme", name: "", definition }, nowMs);
  await service.writer.createSecret(stored);
  const { text } = await ask(scene, `/calendar/${secret}.ics`, {}, "text/calendar");
  const wanted = [...company.leave.values()].filter(
    ({ workerId, status, day }) =>
      workers.includes(workerId) &&
      company.people.get(workerId)?.status === "active" && // nobody is shown who has left
      status === "approved" &&
      day >= utcDayOf(nowMs) - 31,
  );
  const own = (text.match(/^SUMMARY:.*$/gm) ?? []).map((line) => line.trim());
  expect({ workers, events: own.toSorted() }).toEqual({
    workers,
    events: wanted.map(({ workerId }) => `SUMMARY:name of ${workerId}: away`).toSorted(),
  });
}
