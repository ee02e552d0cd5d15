// Nightly syncs of presets from fakes whose leave comes and goes while it is read. What was there before and after a sync is stored, what
// had gone before it is not, unless the sync says that it prunes nothing; and after a quiet night the store has what the system has.
import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PRESET_PULL_FILES } from "../../src/onboarding/presets/index.ts";
import { formatDay, parseDay } from "../../src/time/day.ts";
import { inFolder } from "../cli/command.ts";
import { type FakeOfPreset, sample } from "../pull/fakes/fake.ts";
import { pullHere } from "../pull/pulled.ts";
import { temporaryFolder } from "../support/import-files.ts";
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
import { requestIdsOf, syncHere } from "./synced.ts";

type Row = Record<string, unknown>;

interface NightlySystem {
  /** Starts the fake with these rows of leave, which change in place. */
  start(leave: Row[]): Promise<FakeOfPreset>;
  /** A row of leave of one day, of number `count`. */
  row(count: number, day: string): Row;
  idOf(row: Row): string;
}

/** A row of the sample with some of it replaced. */
const like = (row: unknown, more: Row): Row => ({ ...structuredClone(row as Row), ...more });

export const NIGHTLY: Readonly<Record<string, NightlySystem>> = {
  bamboohr: {
    start: (requests) => bamboohr({ ...bamboohrRows(), requests }),
    row: (count, day) =>
      like(bamboohrRows().requests[0], {
        id: String(count),
        start: day,
        end: day,
        amount: { unit: "days", amount: "1" },
      }),
    idOf: ({ id }) => String(id),
  },
  factorial: {
    start: (leave) => factorial({ ...factorialRows(), "leaves.json": leave }),
    row: (count, day) =>
      like(factorialRows()["leaves.json"]![0], { id: count, start_on: day, finish_on: day }),
    idOf: ({ id }) => String(id),
  },
  frappe: {
    start: (leave) => frappe({ "leave_applications.json": leave }, 3),
    row: (count, day) =>
      like(sample("frappe", "leave_applications.json").data![0], {
        name: name(count),
        from_date: day,
        to_date: day,
        total_leave_days: 1,
      }),
    idOf: ({ name }) => String(name),
  },
  gusto: {
    start: (leave) => gusto({ time_off_requests: leave }),
    row: (count, day) =>
      like(sample("gusto", "time_off_requests.json")[0], { uuid: name(count), days: { [day]: "8.000" } }),
    idOf: ({ uuid }) => String(uuid),
  },
  hibob: {
    start: (leave) => hibob(undefined, leave),
    row: (count, day) =>
      like(sample("hibob", "timeoff_changes.json").changes![1], {
        requestId: count,
        startDate: day,
        endDate: day,
        totalCost: 1,
      }),
    idOf: ({ requestId }) => String(requestId),
  },
  odoo: {
    start: (leave) => odoo({ "leaves.json": leave }, 3),
    row: (count, day) =>
      like(sample("odoo", "leaves.json")[0], {
        id: count,
        request_date_from: day,
        request_date_to: day,
        number_of_days: 1,
        number_of_hours: 8,
      }),
    idOf: ({ id }) => String(id),
  },
  personio: {
    start: (timeOffs) =>
      personio({
        employees: sample("personio", "employees.json").data!,
        timeOffs,
        balances: sample("personio", "balances.json").data!,
      }),
    row: (count, day) => {
      const row = like(sample("personio", "time-offs.json").data![0], {});
      Object.assign(row.attributes as Row, {
        id: count,
        id_v2: name(count),
        start_date: `${day}T00:00:00Z`,
        end_date: `${day}T00:00:00Z`,
        days_count: 1,
      });
      return row;
    },
    idOf: ({ attributes }) => String((attributes as Row).id_v2),
  },
  "personio-v2": {
    start: (leave) => personioV2({ "absence-periods": leave, "absence-breakdowns": [] }),
    row: (count, day) => {
      const at = { date_time: `${day}T00:00:00` };
      return like(sample("personio-v2", "absence-periods.json")._data![0], {
        id: name(count),
        starts_from: { ...at, type: "FIRST_HALF" },
        ends_at: { ...at, type: "SECOND_HALF" },
      });
    },
    idOf: ({ id }) => String(id),
  },
  "sage-hr": {
    start: (leave) => sageHr({ "leave_requests.json": leave }, 3),
    row: (count, day) =>
      like(sample("sage-hr", "leave_requests.json").data![0], {
        ...{ id: count, start_date: day, end_date: day, hours: 8 },
        status: "Approved",
      }),
    idOf: ({ id }) => String(id),
  },
  warp: {
    start: (leave) => warp({ "time_off/requests": leave }, 3),
    row: (count, day) =>
      like(sample("warp", "time_off_requests.json").data![0], {
        id: `tor_${name(count)}`,
        startAt: `${day}T05:00:00.000Z`,
        endAt: `${formatDay(parseDay(day)! + 1)}T05:00:00.000Z`,
        requestedMinutes: 480,
      }),
    idOf: ({ id }) => String(id),
  },
};

function name(count: number): string {
  return String(count).padStart(6, "0");
}

const FIRST_NIGHT = parseDay("2025-06-01")!;
const MOST_LEAVE = 14;
const ACCEPTED = [
  "--accept",
  "overlapping-leave,uncovered-leave,shifted-midnight,unused-policy,refused-rows,opening-leave,assumed-days",
];

/** What a night read, and whether that is all that there was. */
interface Night {
  readonly ids: readonly string[];
  readonly isProven: boolean;
}

/** Syncs on so many nights. Says how many deletions there were, and on how many nights a file was not pruned by. */
export async function syncNights(preset: string, nights: number) {
  let outcome = { deleted: 0, unproven: 0 };
  await inFolder(async (folder) => {
    outcome = await manyNights(preset, nights, true, async (fake, today) => {
      const { stderr } = await syncHere(folder, preset, fake, today, 0, ...ACCEPTED);
      return { ids: await requestIdsOf(folder), isProven: !stderr.includes("no requests are pruned") };
    });
  });
  return outcome;
}

const OF_LEAVE =
  /^(?:time_off_requests|leave_requests|leaves|leave_applications|timeoff_changes|time-offs|absence-periods)/;

/** Pulls the files of leave alone on so many nights. */
export async function pullNights(preset: string, nights: number) {
  const content = PRESET_PULL_FILES.get(preset)!;
  const all = Object.entries(content.files as Record<string, { rows?: string; each?: string }>);
  const files = Object.fromEntries(
    all.filter(([name, { each }]) => OF_LEAVE.test(name) && each === undefined),
  );
  const place = join(temporaryFolder(), "hr");
  return manyNights(preset, nights, false, async ({ base, env }) => {
    const { error, record } = await pullHere({ ...content, base, files }, env, place);
    expect(error).toBeNull();
    const rows = Object.keys(files).flatMap((name) => {
      const list = JSON.parse(readFileSync(join(place, name), "utf8"));
      return (files[name]!.rows === undefined ? list : list[files[name]!.rows!]) as Row[];
    });
    const isProven = Object.values(record!.files).every(({ proof }) => proof !== null);
    return { ids: rows.map(NIGHTLY[preset]!.idOf), isProven };
  });
}

/** `isStored`: what a night reads stays, if nothing proves that it is gone. */
async function manyNights(
  preset: string,
  nights: number,
  isStored: boolean,
  readNight: (fake: FakeOfPreset, today: string) => Promise<Night>,
): Promise<{ deleted: number; unproven: number }> {
  const { start, row, idOf } = NIGHTLY[preset]!;
  const leave: Row[] = [];
  let [count, seed, deleted, unproven] = [0, 7, 0, 0];
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  const add = (today: number) => leave.push(row(++count, formatDay(today - random(40))));
  const remove = () => {
    if (leave.length < 4) return;
    leave.splice(random(leave.length), 1);
    deleted++;
  };
  const fake = await start(leave);
  const isPrunable = preset !== "hibob" || !isStored;
  for (let one = 0; one < 9; one++) add(FIRST_NIGHT);
  for (let night = 0; night < nights; night++) {
    const isQuiet = night === nights - 1 || night % 5 === 4;
    const today = FIRST_NIGHT + night;
    add(today);
    if (preset !== "hibob" && random(3) === 0) remove();
    while (preset !== "hibob" && leave.length > MOST_LEAVE) remove(); // a sync asks 60 times a minute
    const before = new Set(leave.map(idOf));
    const atMost = new Set(before);
    let moves = isQuiet ? 0 : 3;
    fake.fake.fault = () => {
      if (moves > 0 && random(3) === 0) {
        moves--;
        if (preset === "hibob" || random(2) === 0) add(today);
        else remove();
        for (const one of leave) atMost.add(idOf(one));
      }
      return null;
    };
    const { ids: stored, isProven } = await readNight(fake, formatDay(today));
    unproven += isProven ? 0 : 1;
    const after = new Set(leave.map(idOf));
    if (isStored || isProven)
      expect([night, [...before].filter((id) => after.has(id) && !stored.includes(id))]).toEqual([night, []]);
    if (isProven && isPrunable) expect([night, stored.filter((id) => !atMost.has(id))]).toEqual([night, []]);
    if (isQuiet && isPrunable)
      expect([night, [...new Set(stored)].sort()]).toEqual([night, [...after].sort()]);
  }
  await fake.fake.stop();
  return { deleted, unproven };
}
