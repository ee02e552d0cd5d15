// How long things are kept (issue 58, point 12; docs/security.md, How long things are kept), on every engine: what is too old is erased once,
// with its history, and does not come back from the files of the next night.
import { describe, expect, test } from "bun:test";
import { importCompany } from "../../src/import/import-company.ts";
import { findSources } from "../../src/import/read/sources.ts";
import type { ImportOptions, ImportReport } from "../../src/import/report.ts";
import { CHANGE_RESOURCES } from "../../src/resources/changes.ts";
import {
  type ChangePosition,
  NOTHING_ERASED,
  type ReadStore,
  type StoredClose,
  type WriteStore,
} from "../../src/store/store.ts";
import { withStore } from "../store/conformance/engine.ts";
import { ENGINES } from "../store/conformance/engines.ts";
import { counted, type Files, folderOf } from "../support/import-files.ts";
import { change, createCompany, exported } from "../support/stores.ts";

/** 2026-01-01T12:00:00Z. */
const START_MS = Date.UTC(2026, 0, 1, 12);

class Company {
  nowMs = START_MS;

  constructor(
    readonly writer: WriteStore,
    readonly reader: ReadStore,
  ) {}

  /** Each import is a day later. */
  async import(files: Files, options: Partial<ImportOptions> = {}): Promise<ImportReport> {
    this.nowMs += 86_400_000;
    const { sources } = await findSources([folderOf(files)], null);
    const today = Math.floor(this.nowMs / 86_400_000);
    const usual = { allowedRemovals: 1, program: "tests", isStrict: true, accepted: ACCEPTED };
    return importCompany(this.writer, "acme", sources, { ...usual, today, nowMs: this.nowMs, ...options });
  }

  async keep(retention: string | null): Promise<void> {
    await this.writer.change("acme", async (transaction) => {
      await transaction.updateCompany({ retention });
      return { result: null, changed: true, commit: true };
    });
  }

  async stored() {
    const { workers, requests } = await exported(this.writer, "acme");
    return {
      workers: workers.map(({ legacyId }) => legacyId).toSorted(),
      requests: requests
        .map(({ legacyId, doc }) => `${legacyId} ${JSON.parse(doc).reason ?? "-"}`)
        .toSorted(),
    };
  }

  /** All that is stored, and was known, as text. */
  async everything(): Promise<string> {
    const texts: string[] = [];
    await this.writer.export("acme", async (_, rows) => void texts.push(JSON.stringify(rows)));
    await this.writer.records("acme", async (_, rows) => void texts.push(JSON.stringify(rows)));
    return texts.join("\n");
  }

  /** What the change feed says after a position, and where it then is. */
  async changes(after: ChangePosition | "now") {
    const page = await this.reader
      .company("acme")
      .changes({ after, resources: CHANGE_RESOURCES, limit: 1000 });
    if (page === "gone") throw new Error("the position is gone");
    const entries = page.entries.map(({ resource, removed }) => `${resource} ${removed ? "gone" : "there"}`);
    return { entries: entries.toSorted(), position: page.position };
  }
}

const ACCEPTED = new Set(["unused-policy", "never-assigned", "same-start-date", "uncovered-leave"] as const);

const CLOSE: StoredClose = {
  ...{ name: "2025", firstDay: 20_089, lastDay: 20_453, revision: 1, atMs: START_MS, digest: "0".repeat(64) },
  ...{
    balances: 1,
    minutes: 0,
    ...NOTHING_ERASED,
  },
};

const WORKERS = "legacyId,firstName,lastName,email,isBusiness,startDate,endDate,status,type,managerId";

/** `id name endDate status managerId`; `-` for nothing. */
function workers(...rows: readonly string[]): string {
  const lines = rows.map((row) => {
    const [id, name, end, status, manager] = row.split(" ").map((cell) => (cell === "-" ? "" : cell));
    return `${id},${name},Lind,${id}@example.com,no,2012-01-0${1 + (id!.charCodeAt(0) % 9)},${end},${status},employee,${manager}`;
  });
  return [WORKERS, ...lines].join("\n");
}

const POLICIES = [
  "legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit",
  "PTO,Leave,yes,yearly,9600,Vacation,day",
  "SICK,Sick,yes,unlimited,,Sick,day",
].join("\n");

/** `id day status policy worker reason`. */
function requests(...rows: readonly string[]): string {
  const lines = rows.map((row) => {
    const [id, day, status, policy, worker, reason] = row.split(" ");
    return `${id},2015-01-01T00:00:00Z,${day}T08:00:00Z,${day}T16:00:00Z,480,${status},${policy},${worker},${reason}`;
  });
  const header = "legacyId,createdAt,startAt,endAt,requestedMinutes,status,timeOffPolicyId,workerId,reason";
  return [header, ...lines].join("\n");
}

const assignments = (...ids: readonly string[]) =>
  [
    "workerId,policyId,startsOn",
    ...ids.flatMap((id) => [`${id},PTO,2014-01-01`, `${id},SICK,2014-01-01`]),
  ].join("\n");

/** A manager who left long ago and one who did not, somebody who left long ago, and somebody who left just within the time. */
const FILES: Files = {
  "workers.csv": workers(
    "A Anzu - active -",
    "B Bennu 2020-05-31 inactive -", // manages C
    "C Cetus - active B",
    "D Dagon 2022-12-31 inactive E",
    "E Enki 2021-12-31 inactive -", // managed D, who goes, too
    "F Fafnir 2023-02-01 inactive A",
  ),
  "policies.csv": POLICIES,
  "assignments.csv": assignments("A", "C", "D", "E"),
  "requests.csv": requests(
    "R1 2019-04-01 approved SICK A migraine",
    "R2 2019-03-04 approved PTO A seaside",
    "R3 2019-03-04 denied PTO C parachute",
    "R4 2022-03-04 approved PTO C mountain",
    "R5 2025-11-03 approved PTO C harbour",
    "R6 2022-03-04 approved PTO D dungeon",
  ),
};

for (const engine of ENGINES)
  describe(engine.name, () => {
    const inCompany = (work: (company: Company) => Promise<void>) => () =>
      withStore(engine, async ({ writer, reader }) => {
        await createCompany(writer, "acme");
        await work(new Company(writer, reader));
      });

    test(
      "leavers go with all that was theirs, but for managers of those who stay, and do not come back",
      inCompany(async (company) => {
        await company.import(FILES);
        await company.keep("leavers=3y");
        const { position } = await company.changes("now");
        const dry = await company.import(FILES, { isDryRun: true });
        const report = await company.import(FILES);
        for (const { findings, isChanged } of [dry, report]) {
          expect(isChanged).toBe(true);
          expect(findings.map(({ code, count }) => `${code} ${count}`)).toEqual([
            "erased-workers 2",
            "kept-leavers 1",
          ]);
          expect(JSON.stringify(findings)).not.toMatch(/Dagon|Enki|Bennu/);
        }
        expect(await company.stored()).toMatchObject({ workers: ["A", "B", "C", "F"] });
        expect(await company.everything()).not.toMatch(/Dagon|Enki|dungeon/);
        const told = await company.changes(position);
        expect(told.entries.filter((entry) => !entry.startsWith("balances"))).toEqual([
          ...Array.from({ length: 4 }, () => "assignments gone"),
          ...["requests gone", "workers gone", "workers gone"],
        ]);
        const again = await company.import(FILES);
        expect(again.isChanged).toBe(false);
        expect(counted(again)).toEqual({
          "workers.csv": "0/0/4/0",
          "policies.csv": "0/0/2/0",
          "assignments.csv": "0/0/4/0",
          "requests.csv": "0/0/5/0",
        });
        expect(again.files.map(({ skipped }) => skipped)).toEqual([2, 0, 4, 1]);
        expect(again.notes).toContain("workers.csv: skipped 2 rows of workers (older than is kept)");
        expect((await company.changes(told.position)).entries).toEqual([]);
      }),
    );

    test(
      "requests go that count in no balance, and the others stay and are told",
      inCompany(async (company) => {
        await company.import(FILES);
        await company.keep("requests=5y");
        const balance = async () => {
          const facts = await company.reader.company("acme").balanceFacts({ limit: 100 });
          return facts.assignments.map(({ requests: taken }) => taken.map(({ minutes }) => minutes));
        };
        const report = await company.import(FILES);
        expect(report.findings.map(({ code, count }) => `${code} ${count}`)).toEqual([
          "erased-requests 2",
          "kept-requests 1",
        ]);
        expect((await company.stored()).requests).toEqual([
          ...["R2 seaside", "R4 mountain", "R5 harbour", "R6 dungeon"],
        ]);
        const before = await balance();
        expect((await company.import(FILES)).isChanged).toBe(false);
        expect(await balance()).toEqual(before);
        // What was taken before an opening is in it.
        const opened = { ...FILES, "openings.csv": "workerId,policyId,date,minutes\nA,PTO,2020-12-31,9120" };
        await company.import(opened);
        expect((await company.stored()).requests).not.toContain("R2 seaside");
        expect(await company.everything()).not.toMatch(/migraine|parachute|seaside/);
        expect((await company.import(opened)).isChanged).toBe(false);
      }),
    );

    test(
      "reasons go, also those that were known, and the requests stay as they are",
      inCompany(async (company) => {
        await company.import(FILES);
        const changed = requests("R4 2022-03-04 approved PTO C glacier");
        await company.import({ "requests.csv": changed });
        await company.import(FILES);
        await company.keep("reasons=1y");
        const report = await company.import(FILES);
        expect(report.findings.map(({ code, count }) => `${code} ${count}`)).toEqual(["erased-reasons 5"]);
        expect((await company.stored()).requests).toEqual([
          ...["R1 -", "R2 -", "R3 -", "R4 -", "R5 harbour", "R6 -"],
        ]);
        expect(await company.everything()).not.toMatch(/migraine|seaside|parachute|mountain|glacier|dungeon/);
        const again = await company.import(FILES);
        expect([again.isChanged, again.findings]).toEqual([false, []]);
        // Files whose rows are looked at again bring none back.
        const anew = await company.import(FILES, { program: "another" });
        expect([anew.isChanged, anew.findings]).toEqual([false, []]);
        await company.keep(null);
        await company.import(FILES);
        expect((await company.stored()).requests).toContain("R1 migraine");
      }),
    );

    test(
      "of somebody who is erased nothing is known, also where others had them as their manager",
      inCompany(async (company) => {
        const people = (manager: string, boss: string) =>
          workers(`A Anzu - active ${manager}`, "N Naga - active -", boss);
        const bosses = ["B Bennu - active -", "B Bennu 2020-05-31 inactive -"] as const;
        await company.import({ "workers.csv": people("B", bosses[0]) });
        await company.import({ "workers.csv": people("N", bosses[1]) });
        expect(await company.everything()).toContain("Bennu");
        await company.keep("leavers=3y");
        await company.import({ "workers.csv": people("N", bosses[1]) });
        expect((await company.stored()).workers).toEqual(["A", "N"]);
        expect(await company.everything()).not.toMatch(/Bennu|B@example/);
        const { firstMs } = await company.reader.knownAt("acme", Date.now());
        const { revision } = await company.reader.knownAt("acme", firstMs!);
        const then = company.reader.company("acme", undefined, revision);
        const { docs } = await then.list("workers", { limit: 10 }, []);
        const known = docs.map((doc) => JSON.parse(doc));
        expect(
          known.map(({ legacyId, managerId, manager }) => [legacyId, managerId, manager]).toSorted(),
        ).toEqual([
          ["A", null, null],
          ["N", null, null],
        ]);
      }),
    );

    test(
      "a single request or worker that goes is a change, and closes count it",
      inCompany(async (company) => {
        const one = requests("R1 2019-04-01 approved SICK A migraine");
        const people = workers("A Anzu - active -", "B Bennu 2020-05-31 inactive -");
        const files = {
          ...FILES,
          "workers.csv": people,
          "assignments.csv": assignments("A"),
          "requests.csv": one,
        };
        await company.import(files);
        await change(company.writer, "acme", (transaction) => transaction.putClose(CLOSE));
        await company.keep("requests=5y");
        expect((await company.import(files)).isChanged).toBe(true);
        const closes = await company.reader.company("acme").closes();
        expect(closes.map(({ erasedRequests }) => erasedRequests)).toEqual([1]);
        await company.keep("leavers=3y, requests=5y");
        expect((await company.import(files)).isChanged).toBe(true);
        expect(await company.stored()).toEqual({ workers: ["A"], requests: [] });
      }),
    );

    test(
      "closes also count a request that was taken back before, and that only the history still has",
      inCompany(async (company) => {
        const known = "R2 2019-03-04 approved PTO A seaside";
        const kept = "R5 2025-11-03 approved PTO C harbour";
        await company.import({ ...FILES, "requests.csv": requests(known, kept) });
        await change(company.writer, "acme", (transaction) => transaction.putClose(CLOSE));
        const later = { ...FILES, "requests.csv": requests(kept) };
        await company.import(later, { isPruning: true });
        expect(await company.everything()).toContain("seaside");
        await company.keep("requests=5y");
        await company.import(later);
        expect(await company.everything()).not.toContain("seaside");
        const closes = await company.reader.company("acme").closes();
        expect(closes.map(({ erasedRequests }) => erasedRequests)).toEqual([1]);
      }),
    );

    test(
      "closes count no request that they knew as denied, and none that came later",
      inCompany(async (company) => {
        const [known, denied, later] = [
          "R1 2019-04-01 approved SICK A migraine",
          "R3 2019-03-04 denied PTO C parachute",
          "R7 2019-05-06 approved SICK A cold",
        ];
        await company.import({ ...FILES, "requests.csv": requests(known, denied) });
        await change(company.writer, "acme", (transaction) => transaction.putClose(CLOSE));
        const files = { ...FILES, "requests.csv": requests(known, denied, later) };
        await company.import(files);
        await company.keep("requests=5y");
        const { findings } = await company.import(files);
        expect(findings.find(({ code }) => code === "erased-requests")?.count).toBe(3);
        const closes = await company.reader.company("acme").closes();
        expect(closes.map(({ erasedRequests }) => erasedRequests)).toEqual([1]);
      }),
    );

    test(
      "somebody of whom the files say only now that they left long ago goes at once",
      inCompany(async (company) => {
        await company.import({ "workers.csv": workers("A Anzu - active -", "B Bennu - active -") });
        await company.keep("leavers=3y");
        const left = workers("A Anzu - active -", "B Bennu 2020-05-31 inactive -");
        expect((await company.import({ "workers.csv": left })).isChanged).toBe(true);
        expect((await company.stored()).workers).toEqual(["A"]);
      }),
    );

    test(
      "a request of many is judged as one of few",
      inCompany(async (company) => {
        const many = Array.from(
          { length: 2500 },
          (_, at) => `M${at} ${2010 + (at % 15)}-${10 + (at % 3)}-${10 + (at % 17)} approved SICK A many`,
        );
        const files = { ...FILES, "requests.csv": requests(...many) };
        const options = { isStrict: false };
        await company.import(files, options);
        await company.keep("requests=5y");
        await company.import(files, options);
        const kept = (await company.stored()).requests.length;
        expect(kept).toBe(many.filter((row) => row.split(" ")[1]! >= "2021").length);
        const again = await company.import(files, options);
        expect([again.isChanged, again.files.at(-1)!.skipped]).toEqual([false, 2500 - kept]);
      }),
    );

    test(
      "nothing too old comes in with the first import, and more than is allowed is refused",
      inCompany(async (company) => {
        await company.keep("leavers=3y, requests=5y, reasons=1y");
        await company.import(FILES);
        expect(await company.stored()).toEqual({
          workers: ["A", "B", "C", "F"],
          requests: ["R2 -", "R4 -", "R5 harbour"],
        });
        expect(await company.everything()).not.toMatch(/Dagon|migraine|mountain/);
        await company.keep(null);
        const many = workers(...Array.from({ length: 40 }, (_, at) => `W${at} Wyvern 2020-01-01 inactive -`));
        await company.import({ "workers.csv": many });
        await company.keep("leavers=3y");
        const importing = company.import({ "workers.csv": many }, { allowedRemovals: 0.5 });
        await expect(importing).rejects.toThrow(
          /would erase 40 of 44 stored workers .* say --allow-removals 91%/,
        );
        expect((await company.stored()).workers).toHaveLength(44);
      }),
    );

    test(
      "a day is counted where the company is",
      inCompany(async (company) => {
        const leaver = (end: string) => ({ "workers.csv": workers(`A Anzu ${end} inactive -`) });
        await company.writer.change("acme", async (transaction) => {
          await transaction.updateCompany({ retention: "leavers=1y", timeZone: "Pacific/Kiritimati" });
          return { result: null, changed: true, commit: true };
        });
        // 2026-01-02, noon: there it is the third.
        await company.import(leaver("2025-01-02"));
        expect((await company.stored()).workers).toEqual([]);
        await company.import(leaver("2025-01-04"));
        expect((await company.stored()).workers).toEqual(["A"]);
      }),
    );
  });
