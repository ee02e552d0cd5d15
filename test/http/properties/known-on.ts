// Property: whatever the nights after it changed, what was known on a night is, byte for byte, what the server sent that night for
// the same query: pages, objects, explanations, movements, also after a close, expirations, days, schedules, capacity, previews; JSON,
// JSON lines and CSV.
import { expect, setSystemTime } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { csvText } from "../../../src/csv-file.ts";
import { generateCompany } from "../../../src/generate/generate.ts";
import { importCompany } from "../../../src/import/import-company.ts";
import { findSources } from "../../../src/import/read/sources.ts";
import { LISTS } from "../../../src/resources/kinds.ts";
import { DAY_MS, dayOfText, formatDay, utcDayOf } from "../../../src/time/day.ts";
import { names, type Row, readCsv } from "../../generate/read-csv.ts";
import { fastFolder } from "../../support/fast-folder.ts";
import { randomOf } from "../../support/random-rows.ts";
import { addKey, closePeriod, createCompany } from "../../support/stores.ts";
import { type ListBody, type Service, startService } from "../service.ts";

type Name = (typeof names)[number];
type Random = (below: number) => number;
type Files = Record<Name, Row[]>;

const FIRST_NIGHT_MS = Date.parse("2026-11-02T12:00:00Z");

/** What changes of a row of a file. */
const CHANGES: { readonly [N in Name]: readonly ((row: Row, random: Random) => Row)[] } = {
  workplaces: [(row, random) => ({ ...row, holidayCalendar: random(2) ? "Germany" : "Spain" })],
  holidays: [(row, random) => ({ ...row, minutes: random(2) ? "240" : "" })],
  workers: [
    (row, random) => ({ ...row, position: `Position ${random(99)}` }),
    (row, random) => ({ ...row, department: `Department ${random(4)}` }),
    (row) => ({ ...row, managerId: "" }),
    (row, random) => ({ ...row, timeZone: random(2) ? "Asia/Tokyo" : "" }),
    (row) => ({ ...row, endDate: "2027-03-31", status: "offboarding" }),
  ],
  schedules: [(row) => ({ ...row, minutesPerWeekday: "300,300,300,300,300,0,0" })],
  policies: [
    (row, random) => ({ ...row, description: `Words ${random(99)}` }),
    (row, random) =>
      row.minutesPerPeriod === "" ? row : { ...row, minutesPerPeriod: String(600 + 60 * random(9)) },
  ],
  assignments: [(row) => ({ ...row, endsOn: "2027-06-30" })],
  requests: [
    (row) => ({ ...row, status: "denied" }),
    (row) => ({ ...row, status: "approved" }),
    (row, random) => ({ ...row, requestedMinutes: String(60 * (1 + random(16))) }),
    (row, random) => ({ ...row, reason: `Because ${random(99)}` }),
    (row, random) => ({
      ...row,
      endAt: new Date(Date.parse(row.startAt!) + (1 + random(20)) * DAY_MS).toISOString(),
    }),
  ],
  adjustments: [
    (row, random) => ({ ...row, minutes: String(random(2000) - 1000) }),
    (row, random) => ({ ...row, note: `Note ${random(99)}` }),
  ],
  work_hours: [(row, random) => ({ ...row, minutes: String(random(600)) })],
};

/** What is missing on some nights. */
const COMES_AND_GOES: readonly Name[] = ["requests", "adjustments", "work_hours", "holidays"];

function nextNight(files: Files, random: Random): Files {
  const next = names.map((name) => [
    name,
    files[name].map((row) => {
      if (random(12) > 0) return row;
      const changes = CHANGES[name];
      return changes[random(changes.length)]!(row, random);
    }),
  ]);
  return Object.fromEntries(next) as Files; // one entry a name
}

/** The files of a night: some rows are not there yet, or not any more. */
function filesOf(files: Files, night: number, random: Random): Files {
  const late = new Set<string | undefined>(
    files.workers.filter((_, at) => at % 5 === 4 && night < at % 4).map(({ legacyId }) => legacyId),
  );
  const shown = names.map((name) => [
    name,
    files[name]
      .filter(
        (row) =>
          !late.has(row.workerId ?? (name === "workers" ? row.legacyId : "")) &&
          !(COMES_AND_GOES.includes(name) && random(10) === 0),
      )
      .map((row) => (late.has(row.managerId) ? { ...row, managerId: "" } : row)),
  ]);
  return Object.fromEntries(shown) as Files; // one entry a name
}

/** Changed rules hold for all time after one night, and from the day of the import on after the next. */
async function importFiles({ writer }: Service, files: Files, night: number): Promise<void> {
  const folder = mkdtempSync(join(fastFolder(), "rollcall-night-"));
  try {
    for (const name of names) {
      const [first] = files[name];
      if (first === undefined) continue;
      const columns = Object.keys(first);
      writeFileSync(
        join(folder, `${name}.csv`),
        csvText([columns, ...files[name].map((row) => columns.map((column) => row[column] ?? ""))]),
      );
    }
    const { sources } = await findSources([folder], null);
    const nowMs = Date.now();
    await importCompany(writer, "acme", sources, {
      isDryRun: false,
      isPruning: true,
      allowedRemovals: 1,
      today: utcDayOf(nowMs),
      nowMs,
      ...(night % 2 === 0 ? { accepted: new Set(["changes-the-past"]) } : { rulesFrom: utcDayOf(nowMs) }),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const PATHS = [
  ...Object.values(LISTS).map(({ api }) => String(api.path)),
  ...["balances", "days", "movements", "expirations", "capacity"].map((name) => `/v1/time_off/${name}`),
];

/** Lists with the filters `departmentIds` and `managerIds`. */
const OF_TEAMS = ["workers", "assignments", "requests", "balances", "days", "capacity"];

/** October, closed on the night `CLOSED_ON`. */
const CLOSE = "2026-10";
const CLOSED_ON = 1;

/** Filters of the lists, made of ids that are stored. */
type Ids = Readonly<Record<string, readonly string[]>>;

const [WORKERS, POLICIES] = ["/v1/workers", "/v1/time_off/policies"];

/** `pairs`: the worker and the policy of assignments. */
function queryOf(
  {
    ids,
    pairs,
    night,
  }: { readonly ids: Ids; readonly pairs: readonly (readonly string[])[]; readonly night: number },
  random: Random,
): { readonly path: string; readonly accept?: string } {
  const pick = <T>(list: readonly T[]): T | undefined => list[random(list.length)];
  const id = (list: string) => pick(ids[list]!) ?? "none";
  const day = () => formatDay(utcDayOf(FIRST_NIGHT_MS) - 400 + random(800));
  const stored = PATHS.filter((list) => ids[list]!.length > 0); // a list without rows is the same every night
  const path = pick(stored)!;
  const some: string[] = [];
  const maybe = (chance: number, text: () => string) => random(chance) === 0 && some.push(text());
  const isOf = (...names: readonly string[]) => names.some((name) => path.endsWith(`/${name}`));
  if (path.includes("time_off") && !isOf("policies"))
    maybe(3, () => `workerIds=${id(WORKERS)},${id(WORKERS)}`);
  if (path.includes("time_off") && !isOf("policies", "capacity")) maybe(3, () => `policyIds=${id(POLICIES)}`);
  if (isOf(...OF_TEAMS)) {
    maybe(4, () => `departmentIds=${id("/v1/departments")}`);
    maybe(4, () => `managerIds=${id(WORKERS)},${id(WORKERS)}`);
  }
  if (isOf("workers")) maybe(4, () => "statuses=active,offboarding");
  if (isOf("requests")) {
    maybe(2, () => `startsBefore=${day()}`);
    maybe(2, () => `endsOnOrAfter=${day()}`);
    maybe(3, () => "statuses=approved");
  }
  if (isOf("days")) some.push(`from=${day()}`);
  if (isOf("balances")) maybe(2, () => `endDate=${day()}`);
  if (isOf("expirations")) some.push("from=2026-06-01&to=2027-06-01");
  if (isOf("capacity")) {
    some.push(
      `from=2026-10-15&to=${pick(["2026-11-20", "2027-01-31"])}&by=${pick(["day", "week", "month"])}`,
    );
    maybe(2, () => `groupBy=${pick(["worker", "department"])}`);
  }
  if (isOf("movements")) {
    const isAfter = night > CLOSED_ON && random(2) === 0;
    some.push(isAfter ? `after=${CLOSE}` : "from=2026-01-01", `to=${pick(["2026-11-30", "2026-12-31"])}`);
    maybe(2, () => `groupBy=${pick(["worker", "department", "worker,policy"])}`);
  }
  const kind = random(12);
  const single = stored.filter(
    (list) => !/days|movements|expirations|capacity|balances|holidays|assignments/.test(list),
  );
  const object = pick(single)!;
  if (kind === 0) return { path: `${object}/${id(object)}` };
  if (kind <= 2) {
    const start = random(2) ? "&startDate=2026-06-01" : "";
    return { path: `/v1/time_off/balances/${id("/v1/time_off/balances")}?endDate=2026-12-31${start}` };
  }
  if (kind === 3) return { path: `${WORKERS}/${id(WORKERS)}/schedule?from=${day()}` };
  if (kind <= 5) {
    const [workerId, policyId] = pick(pairs) ?? [];
    const minutes = random(2) ? "&endAt=2026-12-11&minutes=1000" : "";
    return {
      path: `/v1/time_off/preview?workerId=${workerId}&policyId=${policyId}&startAt=2026-12-01${minutes}`,
    };
  }
  if (kind === 6 && random(3) === 0) return { path: "/v1/company" };
  if (random(3) === 0)
    return { path: `${path}?${some.join("&")}`, accept: pick(["text/csv", "application/x-ndjson"])! };
  some.push(`limit=${1 + random(30)}`);
  maybe(3, () => `${pick(["afterId", "beforeId"])}=${id(path)}`);
  return { path: `${path}?${some.join("&")}` };
}

interface Recorded {
  readonly path: string;
  readonly accept: string | undefined;
  readonly atMs: number;
  readonly status: number;
  readonly body: string;
}

export interface Nights {
  readonly seed: number;
  readonly workers: number;
  readonly nights: number;
  readonly queriesANight: number;
}

/** Returns how many responses were compared. */
export async function compareNights({ seed, workers, nights, queriesANight }: Nights): Promise<number> {
  const random = randomOf(seed);
  const folder = mkdtempSync(join(fastFolder(), "rollcall-nights-"));
  try {
    await generateCompany({ outDir: folder, seed, workers, today: "2026-11-01", requestsPerWorker: 8 });
    let files = Object.fromEntries(names.map((name) => [name, readCsv(folder, name)])) as Files; // one entry a name
    const service = await startService({ today: () => formatDay(utcDayOf(Date.now())) });
    await createCompany(service.writer, "acme");
    const key = await addKey(service.writer, "acme");
    const read = async (path: string, accept: string | undefined) => {
      const { status, body } = await service.raw(path, {
        key,
        headers: accept === undefined ? {} : { accept },
      });
      return { status, body: new TextDecoder().decode(body) };
    };
    const recorded: Recorded[] = [];
    for (let night = 0; night < nights; night++) {
      setSystemTime(FIRST_NIGHT_MS + night * DAY_MS);
      if (night === 3) await setZone(service, "America/New_York");
      await importFiles(service, filesOf(files, night, random), night);
      setSystemTime(Date.now() + 60_000);
      if (night === CLOSED_ON) await closeOctober(service);
      const ids: Record<string, string[]> = {};
      let pairs: string[][] = [];
      for (const path of PATHS) {
        const { body } = await read(`${path}?limit=100`, undefined);
        const { data } = JSON.parse(body) as ListBody;
        ids[path] = data.map(({ id }) => id);
        if (path.endsWith("/assignments"))
          pairs = data.map(({ workerId, policyId }) => [`${workerId}`, `${policyId}`]);
      }
      for (let query = 0; query < queriesANight; query++) {
        const { path, accept } = queryOf({ ids, pairs, night }, random);
        recorded.push({ path, accept, atMs: Date.now(), ...(await read(path, accept)) });
      }
      files = nextNight(files, random);
    }
    setSystemTime(FIRST_NIGHT_MS + nights * DAY_MS);
    let others = 0;
    for (const { path, accept, atMs, status, body } of recorded) {
      // A day of the company's zone ends before the next night; of a problem, the request's own id differs.
      const isDay = random(3) === 0;
      const then = isDay ? formatDay(utcDayOf(atMs)) : new Date(atMs).toISOString();
      const later = await read(`${path}${path.includes("?") ? "&" : "?"}knownOn=${then}`, accept);
      if ((await read(path, accept)).body !== body) others++;
      const anonymous = (text: string) => (status === 200 ? text : text.replace(/"requestId":"[^"]*"/, ""));
      expect({ path, then, accept, status: later.status, body: anonymous(later.body) }).toEqual({
        path,
        then,
        accept,
        status,
        body: anonymous(body),
      });
    }
    expect(others).toBeGreaterThan(recorded.length / 3); // now most are others
    return recorded.length;
  } finally {
    setSystemTime();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function setZone({ writer }: Service, timeZone: string): Promise<void> {
  await writer.change("acme", async (transaction) => {
    const { dataAsOfMs, changedAtMs } = await transaction.company();
    await transaction.updateCompany({ timeZone });
    return { result: null, changed: true, commit: true, times: { dataAsOfMs, changedAtMs } };
  });
}

const closeOctober = (service: Service) =>
  closePeriod(service, "acme", CLOSE, {
    firstDay: dayOfText("2026-10-01"),
    lastDay: dayOfText("2026-10-31"),
  });
