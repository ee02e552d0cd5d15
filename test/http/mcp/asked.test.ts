// What a call names is what it is told of: people, managers, days and an earlier state, of each tool that takes them.
import { afterEach, beforeAll, expect, setSystemTime, test } from "bun:test";
import { assignmentRow, policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey, change } from "../../support/stores.ts";
import { startService } from "../service.ts";
import { type Assistant, connectTo } from "./assistant.ts";

const NAMES = ["ana", "bob", "mia"];
const service = await startService();
afterEach(() => setSystemTime());

/** Ana has asked for a day; later it became two. */
const leave = (endAt: string, requestedMinutes: number) =>
  requestRow("tor_1", "wrk_ana", "top_pto", {
    startAt: "2026-03-10T00:00:00.000Z",
    endAt,
    requestedMinutes,
  });

let call: Assistant["call"];
beforeAll(async () => {
  setSystemTime(new Date("2026-02-10T09:00:00Z"));
  await addCompany(service.writer, "acme", {
    workers: NAMES.map((name) =>
      workerRow(`wrk_${name}`, {
        displayName: name,
        firstName: name,
        managerId: name === "ana" ? "wrk_mia" : null,
      }),
    ),
    policies: [policyRow("top_pto")],
    assignments: NAMES.map((name) => assignmentRow(`toa_${name}`, `wrk_${name}`, "top_pto")),
    requests: [leave("2026-03-11T00:00:00.000Z", 480)],
  });
  setSystemTime(new Date("2026-02-20T09:00:00Z"));
  await change(service.writer, "acme", (transaction) =>
    transaction.put("requests", [leave("2026-03-12T00:00:00.000Z", 960)]),
  );
  setSystemTime();
  ({ call } = await connectTo(service.app, await addKey(service.writer, "acme")));
});

const MARCH = { from: "2026-03-01", to: "2026-03-31" };
const THEN = { known_on: "2026-02-15" };

async function peopleOf(tool: string, given: Record<string, unknown>): Promise<string[]> {
  const { rows } = await call(tool, given);
  return rows.map(({ person }) => (person as { name: string }).name);
}

test("a tool for several people shows those who are named, or who report to those who are", async () => {
  for (const [tool, given] of [
    ["time_off_balance", {}],
    ["team_capacity", { ...MARCH, by: "month", group_by: "worker" }],
  ] as const)
    for (const [who, wanted] of [
      [{ people: ["bob", "wrk_mia"] }, ["bob", "mia"]],
      [{ managers: ["mia"] }, ["ana"]],
      [{ managers: ["bob"] }, []],
    ] as const)
      expect([tool, who, await peopleOf(tool, { ...given, ...who })]).toEqual([tool, who, [...wanted]]);
  expect(await peopleOf("time_off_movements", { ...MARCH, group_by: ["worker"], people: ["bob"] })).toEqual([
    "bob",
  ]);
});

test("a balance and a preview are as they were known on the day that is asked for", async () => {
  const people = ["ana"];
  const [now, then] = [
    await call("time_off_balance", { people }),
    await call("time_off_balance", { people, ...THEN }),
  ];
  expect([now.rows[0]!.usedHours, then.rows[0]!.usedHours]).toEqual([16, 8]);
  expect(then.text).toContain("as known at the end of Sunday 2026-02-15");
  for (const [moment, usedHours] of [
    ["2026-02-20T09:59:59+01:00", 8],
    ["2026-02-20T10:00:00+01:00", 16],
  ]) {
    const at = await call("time_off_balance", { people, known_on: moment });
    expect(at.rows[0]!.usedHours).toBe(usedHours);
    expect(at.text).toContain(
      `Balances on Friday 2026-02-20 (time off after it is subtracted, too), as known on ${moment}:`,
    );
  }
  const wanted = { person: "ana", policy: "top_pto", from: "2026-03-23", to: "2026-03-24" };
  const later = (await call("time_off_preview", wanted)).rows[0]!;
  const before = (await call("time_off_preview", { ...wanted, ...THEN })).rows[0]!;
  expect([later.hours, later.days]).toEqual([16, 2]);
  expect(Number(before.hoursBefore) - Number(later.hoursBefore)).toBe(8);
});

test("movements are as they were known on the day that is asked for", async () => {
  const given = { ...MARCH, group_by: ["worker"], people: ["ana"] };
  const [now, then] = [
    await call("time_off_movements", given),
    await call("time_off_movements", { ...given, ...THEN }),
  ];
  const used = ({ rows }: typeof now) => (rows[0]!.hours as Record<string, number>).used;
  expect([used(now), used(then)]).toEqual([16, 8]);
});

test("capacity continues after the last call, without a row twice or left out", async () => {
  const given = { from: "2026-01-01", to: "2026-02-10", by: "day", group_by: "worker" };
  const first = await call("team_capacity", given);
  const next = await call("team_capacity", { ...given, cursor: first.structured.nextCursor });
  expect([first.rows.length, next.rows.length]).toEqual([100, 23]);
  expect(new Set([...first.rows, ...next.rows].map(({ id }) => id)).size).toBe(41 * NAMES.length);
  expect([first.structured.isComplete, next.structured.nextCursor]).toEqual([false, null]);
});

test("the periods of who_is_away are the same days on each day of a week", async () => {
  let today = "";
  const weekly = await startService({ today: () => today });
  await addCompany(weekly.writer, "acme");
  const assistant = await connectTo(weekly.app, await addKey(weekly.writer, "acme"));
  for (today of ["2026-03-02", "2026-03-03", "2026-03-07", "2026-03-08"]) {
    const periods: unknown[] = [];
    for (const period of ["this_week", "next_week", "this_month", "next_month"]) {
      const { structured } = await assistant.call("who_is_away", { period });
      periods.push([period, structured.from, structured.to]);
    }
    expect([today, ...periods]).toEqual([
      today,
      ["this_week", "2026-03-02", "2026-03-08"],
      ["next_week", "2026-03-09", "2026-03-15"],
      ["this_month", "2026-03-01", "2026-03-31"],
      ["next_month", "2026-04-01", "2026-04-30"],
    ]);
  }
});

test("what was known of a policy counts then: whether it was unlimited, and its name if it is gone", async () => {
  setSystemTime(new Date("2026-02-10T09:00:00Z"));
  const unlimited = { schedule: "unlimited", isUnlimited: true, minutesPerPeriod: null } as const;
  const policies = [
    policyRow("top_1", { name: "Care" }),
    policyRow("top_2", { name: "Trust", ...unlimited }),
  ];
  await addCompany(service.writer, "other", {
    workers: [workerRow("wrk_ana")],
    policies: [...policies, policyRow("top_3", { name: "Old days" })],
    assignments: ["1", "2", "3"].map((at) => assignmentRow(`toa_${at}`, "wrk_ana", `top_${at}`)),
  });
  setSystemTime(new Date("2026-02-20T09:00:00Z"));
  await change(service.writer, "other", async (transaction) => {
    await transaction.put("policies", [
      policyRow("top_1", { name: "Care", ...unlimited }),
      policyRow("top_2", { name: "Trust" }),
    ]);
    await transaction.remove("assignments", [["wrk_ana", "top_3"]]);
    await transaction.remove("policies", [["top_3"]]);
  });
  setSystemTime();
  const other = await connectTo(service.app, await addKey(service.writer, "other"));
  const balances = async (given: Record<string, unknown>) =>
    (await other.call("time_off_balance", { people: ["wrk_ana"], ...given })).rows.map(
      ({ policy, isUnlimited, hours }) => [(policy as { name: string }).name, isUnlimited, hours !== null],
    );
  expect(await balances({})).toEqual([
    ["Care", true, false],
    ["Trust", false, true],
  ]);
  expect(await balances(THEN)).toEqual([
    ["Care", false, true],
    ["Trust", true, false],
    ["Old days", false, true],
  ]);
  for (const tool of ["time_off_movements", "time_off_expirations"]) {
    const given = { policies: ["old days"], from: "2026-02-01", to: "2026-12-31", group_by: ["policy"] };
    const { group_by: _, ...without } = given;
    const asked = tool === "time_off_movements" ? given : without;
    expect([tool, (await other.call(tool, { ...asked, ...THEN })).isError]).toEqual([tool, false]);
    expect([tool, (await other.call(tool, asked)).isError]).toEqual([tool, true]);
  }
});
