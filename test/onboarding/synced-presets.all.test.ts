// Each preset against its vendor's API as a fake: what a sync stores is what an import of files that a person saved stores.
import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openWriteStore } from "../../src/cli/open.ts";
import { createApp } from "../../src/http/app.ts";
import { PRESET_PULL_FILES } from "../../src/onboarding/presets/index.ts";
import { openSqliteReadStore } from "../../src/store/sqlite/read.ts";
import { formatDay } from "../../src/time/day.ts";
import { inFolder, rollcallHere } from "../cli/command.ts";
import { bareParts, CONNECTION } from "../http/bare-parts.ts";
import { exampleOf, type FakeOfPreset, sample } from "../pull/fakes/fake.ts";
import { folderOf, TestCompany } from "../support/import-files.ts";
import { addKey } from "../support/stores.ts";
import { bamboohr, bamboohrRows } from "./fakes/bamboohr.ts";
import { factorial, factorialRows } from "./fakes/factorial.ts";
import { frappe } from "./fakes/frappe.ts";
import { gusto } from "./fakes/gusto.ts";
import { hibob } from "./fakes/hibob.ts";
import { odoo } from "./fakes/odoo.ts";
import { personio } from "./fakes/personio.ts";
import { personioV2 } from "./fakes/personio-v2.ts";
import { sageHr } from "./fakes/sage-hr.ts";
import { warp } from "./fakes/warp.ts";

const FAKES: Readonly<Record<string, () => Promise<FakeOfPreset>>> = {
  bamboohr,
  factorial,
  frappe,
  gusto,
  hibob,
  odoo,
  personio,
  "personio-v2": personioV2,
  "sage-hr": sageHr,
  warp,
};

test("each preset has a fake", () => {
  expect([...PRESET_PULL_FILES.keys()].sort()).toEqual(Object.keys(FAKES).sort());
});

/** Without when imports made what systems do not date. */
const withoutCreation = (rows: object) => JSON.stringify(rows).replaceAll(/(?<=createdAt\\":\\")[^\\]*/g, "");

/** All rows of the company, by kind. */
async function stored(folder: string): Promise<Record<string, unknown[]>> {
  const store = await openWriteStore(join(folder, "rollcall.db"));
  const rows: Record<string, unknown[]> = {};
  await store.export("acme", async (kind, some) => {
    const undated = JSON.parse(JSON.stringify(some).replaceAll(/(?<=updatedAt\\":\\")[^\\]*/g, "")); // the rest of each row
    rows[kind] = [...(rows[kind] ?? []), ...undated];
  });
  await store.close();
  return rows;
}

const COMPANY = ["--company", "acme"];
const TODAY = ["--today", "2025-06-01"];

describe.each(Object.keys(FAKES))("%s", (name) => {
  const started = FAKES[name]!();
  afterAll(async () => (await started).fake.stop());

  test("a sync stores what an import of saved files stores; a second one compares balances, a third changes nothing", async () => {
    const { fake, base, env } = await started;
    const synced = await inFolderWith(async (folder) => {
      for (const outcome of ["Imported into acme.", "Imported into acme", "nothing had changed"]) {
        const sync = await rollcallHere(
          folder,
          ["sync", name, ...COMPANY, ...TODAY, "--base", base, "--strict"],
          env,
        );
        expect(sync.exitCode).toBe(0);
        expect(sync.stderr).not.toContain("warning");
        expect(sync.stdout).toContain(outcome);
      }
      const { reported: _, ...others } = await stored(folder);
      return others;
    });
    const saved = await inFolderWith(async (folder) => {
      const { exitCode } = await rollcallHere(folder, ["import", exampleOf(name), ...COMPANY, "--map", name]);
      expect(exitCode).toBe(0);
      return await stored(folder);
    });
    expect(withoutCreation(synced)).toEqual(withoutCreation(saved));
    expect([...fake.hosts]).toEqual([new URL(fake.url).host]);
  });

  test("--check says what the key may read; a wrong key is refused at once", async () => {
    const { base, env, fake } = await started;
    await inFolder(async (folder) => {
      const check = await rollcallHere(
        folder,
        ["pull", name, "--check", "--json", "--base", base, ...TODAY],
        env,
      );
      expect(check).toMatchObject({ exitCode: 0, stderr: "" });
      const files = Object.keys(PRESET_PULL_FILES.get(name)!.files as object);
      const rights: { file: string; isGranted: boolean }[] = JSON.parse(check.stdout);
      expect(rights.map(({ file, isGranted }) => [file, isGranted])).toEqual(
        files.map((file) => [file, true]),
      );
      const asked = fake.asked.length;
      const wrong = Object.fromEntries(
        Object.entries(env).map(([key, value]) => [
          key,
          /COMPANY|DATABASE|FILE|URL|USER/.test(key) ? value : "wrong",
        ]),
      );
      const denied = await rollcallHere(folder, ["pull", name, "--into", "hr", "--base", base], wrong);
      expect(denied.exitCode).toBe(1);
      expect(denied.stderr).toMatch(/responded 40[13]/);
      expect(fake.asked.length).toBeLessThanOrEqual(asked + 2);
      expect(readdirSync(folder)).toEqual([]);
    });
  });
});

/** Systems that say what they grant, and what Ana has accrued. */
const ACCRUED: Readonly<Record<string, number>> = {
  frappe: 1440, // 23 days, of which 20 have expired
  odoo: 9600,
};

test.each(Object.keys(ACCRUED))("%s: a sync alone gives balances", async (name) => {
  const { fake, base, env } = await FAKES[name]!();
  await inFolderWith(async (folder) => {
    await rollcallHere(folder, ["sync", name, ...COMPANY, ...TODAY, "--base", base], env);
    const args = ["balances", ...COMPANY, "--on", "2025-06-30", "--json"];
    const { stdout } = await rollcallHere(folder, args);
    const ana = (JSON.parse(stdout) as { used: number }[]).find(({ used }) => used > 0);
    expect(ana).toMatchObject({ accruedUnlocked: ACCRUED[name], used: 1440 });
  });
  await fake.stop();
});

/** What systems say that is left, by the legacy ids of worker and policy, in minutes. */
const LEFT: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  bamboohr: { "101 78": 13.5 * 480, "101 79": 24 * 60, "102 78": 0 },
  factorial: { "101 78": 15.5 * 480, "101 81": 20 * 60, "102 78": 0 },
  gusto: { "4b3f930f-0001 7c4d0001": 120 * 60, "4b3f930f-0002 7c4d0001": 160 * 60 },
  personio: {
    "101 00000000-0000-4000-9000-000000000078": 14.5 * 480,
    "102 00000000-0000-4000-9000-000000000078": 0,
  },
};

/** More balances than the sample has: of a kind in hours, and of one without a limit. */
const MORE: Readonly<Record<string, () => Promise<FakeOfPreset>>> = {
  bamboohr: () => {
    const [vacation] = sample("bamboohr", "balances.json") as Record<string, unknown>[];
    const sick = { ...vacation, timeOffType: "79", name: "Sick", units: "hours", balance: "24.00" };
    const none = { ...vacation, timeOffType: "80", name: "Volunteering", policyType: "discretionary" };
    return bamboohr({ ...bamboohrRows(), balances: [vacation!, sick, none] });
  },
  // Of an allowance in hours, two days of leave are booked for later. Kinds that share an allowance have no balance of their own.
  factorial: () => {
    const files = factorialRows();
    const hours = { id: 11, name: "Overtime", allowance_type: "hours", leave_type_ids: [81] };
    const shared = { id: 12, name: "Family", allowance_type: "days", leave_type_ids: [82, 83] };
    const stat = files["allowance_stats.json"]![0]!;
    const later = { available_days: "4.0", used_days: "20.0", used_units_until_reference_date: "4.0" };
    files["allowances.json"]!.push(hours, shared);
    files["allowance_stats.json"]!.push(
      { ...stat, ...later, id: "101/11/2025-06-01", allowance_id: 11 },
      { ...stat, id: "101/12/2025-06-01", allowance_id: 12 },
    );
    return factorial(files);
  },
};

test.each(Object.keys(LEFT))(
  "%s: balances are what the system says, and compared with it the night after",
  async (name) => {
    const { fake, base, env } = await (MORE[name] ?? FAKES[name]!)();
    await inFolderWith(async (folder) => {
      for (const day of ["2025-06-01", "2025-06-02"]) {
        const args = ["sync", name, ...COMPANY, "--today", day, "--base", base, "--strict"];
        expect(await rollcallHere(folder, args, env)).toMatchObject({ exitCode: 0 });
        const rows = (await stored(folder)) as Record<
          string,
          { id: string; legacyId: string; doc: string }[]
        >;
        const names = new Map([...rows.workers!, ...rows.policies!].map((row) => [row.id, row.legacyId]));
        const asked = await rollcallHere(folder, ["balances", ...COMPANY, "--on", day, "--json"]);
        const balances = (JSON.parse(asked.stdout) as Record<string, string | number | null>[]).filter(
          ({ openedOn }) => openedOn !== null,
        );
        expect(balances.every(({ openedOn }) => openedOn === "2025-06-01")).toBe(true);
        const reported = (rows.reported ?? []) as unknown as {
          workerId: string;
          policyId: string;
          day: number;
          minutes: number;
        }[];
        const told = reported.map((row) => [
          `${names.get(row.workerId)} ${names.get(row.policyId)} ${formatDay(row.day)}`,
          row.minutes,
        ]);
        expect(Object.fromEntries(told)).toEqual(
          day === "2025-06-01"
            ? {}
            : Object.fromEntries(
                Object.entries(LEFT[name]!).map(([pair, minutes]) => [`${pair} ${day}`, minutes]),
              ),
        );
        expect(
          Object.fromEntries(
            balances.map(({ workerId, policyId, available }) => [
              `${names.get(workerId as string)} ${names.get(policyId as string)}`,
              available,
            ]),
          ),
        ).toEqual(LEFT[name]!);
      }
    });
    await fake.stop();
  },
);

test("bamboohr: without the right to read balances, everything else comes", async () => {
  const { fake, base, env } = await bamboohr({ ...bamboohrRows(), balances: null });
  await inFolderWith(async (folder) => {
    const args = ["sync", "bamboohr", ...COMPANY, ...TODAY, "--base", base, "--strict"];
    const sync = await rollcallHere(folder, args, env);
    expect(sync).toMatchObject({ exitCode: 0 });
    expect(sync.stderr).toContain("left out: balances.json");
    const { policies, openings = [] } = await stored(folder);
    expect([policies!.length, openings.length]).toEqual([1, 0]);
    expect(JSON.stringify(policies)).toContain("unlimited");
  });
  await fake.stop();
});

/** A company with all that the interface tells. */
const HOUSE: Record<string, string> = {
  "departments.csv": "legacyId,name,parentId\nR,Research,\nP,Product,R",
  "workplaces.csv":
    "legacyId,name,type,timeZone,holidayCalendar\nB,Berlin,office,Europe/Berlin,Berlin\nH,Home,remote,,",
  "holidays.csv":
    "calendar,date,name,minutes\nBerlin,2025-06-09,Whit Monday,\nBerlin,2025-12-24,Christmas Eve,240",
  "workers.csv": `legacyId,firstName,lastName,email,startDate,endDate,status,type,isBusiness,timeZone,departmentId,workplaceId,managerId,latestRehireDate,terminationReason
1,Ana,Lind,ana@example.com,2019-03-01,,active,employee,no,Europe/Berlin,P,B,2,2023-03-01,
2,Bo,Ek,bo@example.com,2021-06-14,2025-04-30,inactive,employee,no,,R,H,,,Moved`,
  "policies.csv": `legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit,isAbsence,isPaidOut,carryoverLimitMinutes,carryoverExpiresAfterMonths,tiers,prorate,roundGrantsToMinutes,roundGrants
PTO,Leave,yes,yearly,9600,Leave,day,yes,yes,2400,3,60:12000,no,240,up
HOME,From home,yes,unlimited,,Home,day,no,no,,,,,,`,
  "assignments.csv":
    "workerId,policyId,startsOn,endsOn\n1,PTO,2019-03-01,\n1,HOME,2020-01-01,2024-12-31\n2,PTO,2021-06-14,",
  "requests.csv": `legacyId,createdAt,startAt,endAt,requestedMinutes,status,timeOffPolicyId,workerId,startRangeType,endRangeType
X,2025-01-09T10:00:00Z,2025-03-03T00:00:00+01:00,2025-03-06T00:00:00+01:00,1440,approved,PTO,1,date,date`,
};

test("warp: a pull from another Rollcall gives the same company", async () => {
  const house = await TestCompany.open();
  await house.importFolder(folderOf(HOUSE));
  const key = await addKey(house.store, house.id);
  const reader = openSqliteReadStore(house.path);
  const app = createApp(bareParts(reader, { today: () => "2025-06-01" }));
  const server = Bun.serve({ port: 0, fetch: async (request) => await app(request, CONNECTION) });
  const copy = await inFolderWith(async (folder) => {
    const base = `http://127.0.0.1:${server.port}/v1`;
    const args = ["sync", "warp", ...COMPANY, ...TODAY, "--base", base, "--strict"];
    const sync = await rollcallHere(folder, args, { WARP_KEY: key });
    expect(sync).toMatchObject({ exitCode: 0 });
    return await stored(folder);
  });
  const undated = JSON.parse(
    JSON.stringify(await house.stored()).replaceAll(/(?<=updatedAt\\":\\")[^\\]*/g, ""),
  );
  for (const [file, rows] of Object.entries(HOUSE)) {
    const kind = file.slice(0, -".csv".length);
    expect(copy[kind]!).toHaveLength(rows.split("\n").length - 1);
    expect([kind, copy[kind]]).toEqual([kind, undated[kind]]);
  }
  server.stop(true);
  await reader.close();
});

test("who goes from version 1 of Personio to version 2 keeps every id", async () => {
  const [hourly] = sample("personio", "absence-periods.json").data as { attributes: { id: string } }[];
  const periods = sample("personio-v2", "absence-periods.json")._data!;
  const three = {
    ...periods[0],
    id: hourly!.attributes.id,
    starts_from: { date_time: "2025-03-10T13:00:00", type: null },
    ends_at: { date_time: "2025-03-10T16:00:00", type: null },
  };
  const [one, two] = [await personio(), await personioV2({ "absence-periods": [...periods, three] })];
  await inFolderWith(async (folder) => {
    await rollcallHere(folder, ["sync", "personio", ...COMPANY, ...TODAY, "--base", one.base], one.env);
    const ids = async () =>
      Object.entries(await stored(folder))
        .filter(([kind]) => !["departments", "workplaces", "openings"].includes(kind)) // version 2 has none
        .map(([kind, rows]) => [kind, (rows as { id: string }[]).map(({ id }) => id)]);
    const before = await ids();
    const { exitCode } = await rollcallHere(
      folder,
      ["sync", "personio-v2", ...COMPANY, ...TODAY, "--base", two.base],
      two.env,
    );
    expect(exitCode).toBe(0);
    expect(await ids()).toEqual(before);
  });
  await one.fake.stop();
  await two.fake.stop();
});

async function inFolderWith<T>(work: (folder: string) => Promise<T>): Promise<T> {
  let made: T | undefined;
  await inFolder(async (folder) => {
    await rollcallHere(folder, ["companies", "create", "acme"]);
    made = await work(folder);
  });
  return made!; // `work` has run to its end
}
