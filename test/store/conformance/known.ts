// What was known: at a revision, every read gives what it gave when that was the last one, whatever came after it.
import { describe, expect, setSystemTime, test } from "bun:test";
import { LIST_KINDS } from "../../../src/resources/kinds.ts";
import {
  type CompanyReader,
  NOTHING_ERASED,
  type ReadStore,
  type StoredRecord,
  type WriteStore,
} from "../../../src/store/store.ts";
import { KINDS, type Kind, keyOf, type Rows } from "../../../src/store/tables.ts";
import { copyCompany } from "../../../src/store/transfer/copy.ts";
import { makeFacts, randomOf } from "../../support/random-rows.ts";
import { policyRow, requestRow, workerRow } from "../../support/rows.ts";
import { type AllRows, addCompany, change, createCompany, exported, putFacts } from "../../support/stores.ts";
import { type Engine, withStore } from "./engine.ts";

export const FACTS = makeFacts(11, 14);
const START_MS = Date.parse("2026-01-31T10:00:00Z");
const DAY_MS = 86_400_000;
const CHILDREN_FIRST = KINDS.toReversed();

/** The facts of balances, where the order within a list has no meaning. */
export async function factsIn({ balanceFacts }: Pick<CompanyReader, "balanceFacts">) {
  const inOrder = (list: readonly object[]) => list.map((entry) => JSON.stringify(entry)).sort();
  return (await balanceFacts({ limit: 500, withIds: true })).assignments.map((assignment) => ({
    ...assignment,
    requests: inOrder(assignment.requests),
    adjustments: inOrder(assignment.adjustments),
    workedHours: inOrder(assignment.workedHours),
  }));
}

/** All that can be read of a company. */
export async function everything(company: CompanyReader): Promise<unknown> {
  const lists = [];
  for (const kind of LIST_KINDS) {
    lists.push(await company.list(kind, { limit: 500 }, []));
    lists.push(await company.list(kind, { limit: 7, after: "m" }, []));
    lists.push(await company.list(kind, { limit: 7, before: "z" }, []));
  }
  const workerIds = FACTS.workers.map(({ id }) => id);
  const weeks = [
    { column: "startAtMs", is: "<", values: [Date.parse("2023-09-01T00:00:00Z")] },
    { column: "endAtMs", is: ">=", values: [Date.parse("2023-02-01T00:00:00Z")] },
  ] as const;
  return {
    lists,
    leave: await company.leave({ limit: 500 }, []),
    ofWeeks: await company.list("requests", { limit: 30 }, weeks),
    ofPolicy: await company.list("requests", { limit: 30 }, [
      ...weeks,
      { column: "policyId", is: "in", values: ["top_b"] },
    ]),
    ofWorkers: await company.list("requests", { limit: 30 }, [
      { column: "workerId", is: "in", values: workerIds.slice(0, 3) },
    ]),
    facts: await factsIn({ balanceFacts: (query) => company.balanceFacts(query) }),
    workTimes: [...(await company.workTimes(workerIds))],
    reported: await company.reported(),
    about: await company.about(),
  };
}

function changed(kind: Kind, row: Rows[Kind], number: number): Rows[Kind] {
  const doc = "doc" in row ? { doc: JSON.stringify({ id: row.id, number }) } : {};
  const minutes = "minutes" in row ? { minutes: number } : {};
  const terms = kind === "schedules" || kind === "policy_changes" ? { terms: `{"n":${number}}` } : {};
  return { ...row, ...doc, ...minutes, ...terms } as Rows[Kind]; // of its own kind
}

/** A night: of the leaves some rows are changed, go or come, and of the others some are changed. */
export async function night(
  writer: WriteStore,
  random: (below: number) => number,
  number: number,
  { companyId, facts }: { readonly companyId: string; readonly facts: AllRows } = {
    companyId: "acme",
    facts: FACTS,
  },
): Promise<void> {
  const before = await exported(writer, companyId);
  const leaves: readonly Kind[] = [
    "requests",
    "adjustments",
    "work_hours",
    "holidays",
    "reported",
    "openings",
  ];
  await change(writer, companyId, async (transaction) => {
    for (const kind of CHILDREN_FIRST) {
      if (!leaves.includes(kind)) continue;
      const gone = (before[kind] as readonly Rows[Kind][]).filter(() => random(6) === 0);
      await transaction.remove(
        kind,
        gone.map((row) => keyOf(kind, row as never)), // of the kind
      );
    }
    for (const kind of KINDS) {
      const all = (leaves.includes(kind) ? facts[kind] : before[kind]) as readonly Rows[Kind][];
      const some = all.filter(() => random(5) === 0);
      await transaction.put(kind, some.map((row) => changed(kind, row, number)) as never); // of the kind
    }
  });
}

export async function recordsOf(
  writer: WriteStore,
  companyId = "acme",
): Promise<{ table: string; row: StoredRecord }[]> {
  const found: { table: string; row: StoredRecord }[] = [];
  await writer.records(
    companyId,
    async (table, rows) => void found.push(...rows.map((row) => ({ table, row }))),
  );
  return found;
}

async function revisionAt(reader: ReadStore, atMs: number): Promise<number | null> {
  return (await reader.knownAt("acme", atMs)).revision;
}

export function known(engine: Engine): void {
  describe("what was known", () => {
    /** Runs the test at times that it sets. */
    const atTimes = (work: (stores: { writer: WriteStore; reader: ReadStore }) => Promise<void>) => () =>
      withStore(engine, async (stores) => {
        try {
          setSystemTime(START_MS);
          await work(stores);
        } finally {
          setSystemTime();
        }
      });

    test(
      "is what every read gave then, after nights of changes",
      atTimes(async ({ writer, reader }) => {
        await addCompany(writer, "other", FACTS);
        await addCompany(writer, "acme", FACTS);
        const random = randomOf(3);
        const nights: { atMs: number; given: unknown }[] = [];
        for (let number = 1; number <= 6; number++) {
          nights.push({ atMs: Date.now(), given: await everything(reader.company("acme")) });
          setSystemTime(Date.now() + DAY_MS);
          if (number === 3) await change(writer, "acme", (one) => one.updateCompany({ name: "Another" }));
          else await night(writer, random, number);
        }
        expect(JSON.stringify(nights[0]!.given)).not.toBe(JSON.stringify(nights[5]!.given));
        for (const { atMs, given } of nights) {
          const revision = await revisionAt(reader, atMs + DAY_MS - 1);
          expect(revision).toBe(await revisionAt(reader, atMs));
          expect(await everything(reader.company("acme", undefined, revision))).toEqual(given);
        }
      }),
    );

    test(
      "a row that goes, comes back and goes again within imports is there when it was",
      atTimes(async ({ writer, reader }) => {
        const { workers, policies, assignments, requests } = FACTS;
        const [row] = requests;
        await addCompany(writer, "acme", { workers, policies, assignments, requests: [row!] });
        const key = [keyOf("requests", row!)];
        const other = { ...row!, doc: JSON.stringify({ id: row!.id, other: true }) };
        const steps: ((
          put: (doc: typeof other) => Promise<void>,
          remove: () => Promise<void>,
        ) => Promise<void>)[] = [
          async (_put, remove) => remove(),
          async (put) => put(other),
          async (put, remove) => {
            await remove();
            await put(other); // the same: nothing changed
          },
          async (put, remove) => {
            await put(row!);
            await remove();
          },
          async (put, remove) => {
            await put(row!);
            await remove(); // was not there, is not there
          },
          async (put) => {
            await put(other);
            await put(row!);
          },
        ];
        for (const step of steps) {
          setSystemTime(Date.now() + 1000);
          await change(writer, "acme", (one) =>
            step(
              (doc) => one.put("requests", [doc]),
              () => one.remove("requests", key),
            ),
          );
        }
        const shown = [];
        for (let second = 0; second <= steps.length; second++) {
          const revision = await revisionAt(reader, START_MS + second * 1000);
          shown.push(await reader.company("acme", undefined, revision).object("requests", row!.id));
        }
        expect(shown).toEqual([row!.doc, null, other.doc, other.doc, null, null, row!.doc]);
      }),
    );

    test(
      "begins with the first import, and is kept as long as the company says",
      atTimes(async ({ writer, reader }) => {
        await createCompany(writer, "acme");
        await change(writer, "acme", async () => {}); // an import without rows
        expect(await reader.knownAt("acme", START_MS - 1)).toEqual({
          revision: null,
          atMs: null,
          firstMs: START_MS,
          nextMs: START_MS,
        });
        setSystemTime(START_MS + DAY_MS);
        await putFacts(writer, "acme", FACTS);
        const then = reader.company("acme", undefined, await revisionAt(reader, START_MS));
        expect((await then.list("workers", { limit: 5 }, [])).docs).toEqual([]);
        const random = randomOf(5);
        for (let month = 1; month <= 5; month++) {
          setSystemTime(START_MS + month * 30 * DAY_MS);
          await night(writer, random, month);
        }
        const before = (await recordsOf(writer)).length;
        await change(writer, "acme", (one) => one.updateCompany({ history: "2mo" }));
        // Two months before 30 June, to the minute: what was known then came 30 days after the start.
        const kept = await reader.knownAt("acme", START_MS + 90 * DAY_MS);
        expect(kept.firstMs).toBe(START_MS + 60 * DAY_MS);
        expect(kept.revision).not.toBeNull();
        expect((await reader.knownAt("acme", START_MS + 60 * DAY_MS - 1)).revision).toBeNull();
        const after = await recordsOf(writer);
        expect(after.length).toBeGreaterThan(0);
        expect(after.length).toBeLessThan(before);
        setSystemTime(Date.now() + 1000);
        await change(writer, "acme", (one) => one.updateCompany({ history: "none" }));
        expect(await recordsOf(writer)).toEqual([]);
        const now = await reader.knownAt("acme", Date.now());
        expect(now.firstMs).toBe(Date.now());
        expect(await everything(reader.company("acme", undefined, now.revision))).toEqual(
          await everything(reader.company("acme")),
        );
        setSystemTime(Date.now() + 1000);
        await night(writer, random, 6);
        expect(await recordsOf(writer)).toEqual([]);
      }),
    );

    test(
      "a moment has one revision, also after a clock was set back",
      atTimes(async ({ writer, reader }) => {
        const named = (name: string) =>
          change(writer, "acme", async (one) => {
            await one.updateCompany({ name });
          });
        const nameAt = async (atMs: number) =>
          (await reader.company("acme", undefined, await revisionAt(reader, atMs)).about())?.name;
        await addCompany(writer, "acme", FACTS);
        setSystemTime(START_MS + DAY_MS);
        await named("One");
        setSystemTime(START_MS + 1000);
        await named("Two");
        expect(await nameAt(START_MS + 1000)).not.toBe("Two");
        expect(await nameAt(START_MS + DAY_MS)).toBe("One");
        expect(await nameAt(START_MS + DAY_MS + 1)).toBe("Two");
      }),
    );

    test(
      "an import sees what balances were before it, and which it changed",
      atTimes(async ({ writer, reader }) => {
        await addCompany(writer, "acme", FACTS);
        const company = reader.company("acme");
        const before = await factsIn({ balanceFacts: (query) => company.balanceFacts(query) });
        setSystemTime(Date.now() + DAY_MS);
        const [changedRequest, goneRequest] = FACTS.requests.filter(({ status }) => status === "approved");
        const later = { ...changedRequest!, minutes: 1 };
        await change(writer, "acme", async (one) => {
          await one.put("requests", [later]);
          await one.remove("requests", [[goneRequest!.id]]);
          expect(await factsIn({ balanceFacts: (query) => one.balanceFactsBefore(query) })).toEqual(before);
          expect(await factsIn({ balanceFacts: (query) => one.balanceFacts(query) })).not.toEqual(before);
          const workerIds = [changedRequest!.workerId, goneRequest!.workerId];
          expect(new Set(await one.changedBalances())).toEqual(new Set(workerIds));
        });
      }),
    );

    test(
      "is kept as a close needs it, until the close goes",
      atTimes(async ({ writer, reader }) => {
        await addCompany(writer, "acme", FACTS);
        const random = randomOf(6);
        for (let number = 1; number <= 2; number++) {
          setSystemTime(Date.now() + DAY_MS);
          await night(writer, random, number);
        }
        const { revision, atMs } = await reader.knownAt("acme", Date.now());
        const close = {
          ...{ name: "2026-01", firstDay: 20_454, lastDay: 20_484, revision: revision!, atMs: atMs! },
          ...{
            digest: "ab",
            balances: 3,
            minutes: 1.5,
            ...NOTHING_ERASED,
          },
        };
        expect(await change(writer, "acme", (one) => one.putClose(close))).toBe(true);
        expect(
          await change(writer, "acme", (one) => one.putClose({ ...close, name: "x", revision: 99 })),
        ).toBe(false);
        const last = await revisionAt(reader, Number.MAX_SAFE_INTEGER);
        const again = { ...close, revision: last! };
        expect(await change(writer, "acme", (one) => one.putClose(again))).toBe(false); // its name is taken
        expect(await reader.company("acme").closes()).toEqual([close]);
        const now = await reader.knownAt("acme", Date.now() + 1000); // each revision has a moment of its own
        expect(await reader.company("acme").known(now.revision!).closes()).toEqual([close]);
        expect(await reader.company("acme").known(revision!).closes()).toEqual([]); // it was made after it
        const given = await everything(reader.company("acme").known(revision!));
        for (let number = 3; number <= 6; number++) {
          setSystemTime(Date.now() + DAY_MS);
          if (number === 4) await change(writer, "acme", (one) => one.updateCompany({ history: "none" }));
          await night(writer, random, number);
        }
        expect(await everything(reader.company("acme").known(revision!))).toEqual(given);
        // The moments between are not known: that of the close alone is.
        expect((await reader.knownAt("acme", Date.now() - 1)).revision).toBeNull();
        expect((await reader.knownAt("acme", atMs! + 1)).revision).toBeNull();
        expect(await reader.knownAt("acme", atMs!)).toMatchObject({ revision, atMs });
        const before = await exported(writer, "acme");
        const gone = [...new Set(FACTS.requests.map(({ workerId }) => workerId))].slice(0, 2);
        await change(writer, "acme", async (one) => {
          for (const kind of CHILDREN_FIRST) {
            const rows = before[kind] as readonly Rows[Kind][];
            const theirs = rows.filter((row) => "workerId" in row && gone.includes(row.workerId));
            await one.remove(
              kind,
              theirs.map((row) => keyOf(kind, row as never)), // of the kind
            );
          }
          await one.remove(
            "workers",
            gone.map((id) => [id]),
          );
        });
        const erasedBalances = FACTS.assignments.filter(({ workerId }) => gone.includes(workerId)).length;
        expect(await reader.company("acme").closes()).toEqual([
          { ...close, erasedWorkers: 2, erasedBalances, workersErasedMs: Date.now() },
        ]);
        await addCompany(writer, "other", FACTS);
        const ofOther = { ...close, revision: 1, erasedWorkers: 0 };
        await change(writer, "other", (one) => one.putClose(ofOther));
        expect(await change(writer, "acme", (one) => one.removeClose("2026-01"))).toBe(true);
        expect(await change(writer, "acme", (one) => one.removeClose("2026-01"))).toBe(false);
        expect(await reader.company("other").closes()).toEqual([ofOther]);
        expect(await recordsOf(writer)).toEqual([]);
      }),
    );

    test(
      "a close whose figures an import has changed or erased meanwhile is not made",
      atTimes(async ({ writer, reader }) => {
        await addCompany(writer, "acme", FACTS);
        const { revision, atMs } = await reader.knownAt("acme", Date.now());
        const close = {
          ...{ name: "2026-01", firstDay: 20_454, lastDay: 20_484, revision: revision!, atMs: atMs! },
          ...{
            digest: "ab",
            balances: 3,
            minutes: 1.5,
            ...NOTHING_ERASED,
          },
        };
        await change(writer, "acme", (one) =>
          one.remove("requests", [keyOf("requests", FACTS.requests[0]!)]),
        );
        expect((await reader.knownAt("acme", atMs!)).revision).toBe(revision); // it is known as before
        expect(await change(writer, "acme", (one) => one.putClose(close))).toBe(false);
        expect(await reader.company("acme").closes()).toEqual([]);
      }),
    );

    test(
      "nothing is known of a worker who was removed, nor of a company",
      atTimes(async ({ writer, reader }) => {
        await addCompany(writer, "acme", FACTS);
        const { workerId } = FACTS.requests[0]!;
        const ofWorker = (rows: readonly object[]) =>
          rows.filter((row) => "workerId" in row && row.workerId === workerId);
        const mark = "mark-of-somebody";
        const { id: reportId, ...report } = FACTS.workers.find(({ id }) => id !== workerId)!;
        const managedBy = (managerId: string | null) => ({
          ...report,
          ...{ id: reportId, managerId },
          doc: JSON.stringify({ id: reportId, managerId, manager: managerId && { name: mark } }),
        });
        setSystemTime(START_MS + 1000);
        await change(writer, "acme", async (one) => {
          await one.put("workers", [managedBy(workerId)]);
          for (const kind of KINDS) {
            const rows = FACTS[kind] as readonly Rows[Kind][];
            const theirs =
              kind === "workers"
                ? rows.filter((row) => (row as { id?: string }).id === workerId)
                : ofWorker(rows);
            const marked = theirs.map((row) =>
              changed(kind, { ...row, legacyId: `${mark} ${keyOf(kind, row as never)}` } as Rows[Kind], 1),
            );
            if (kind === "workers" || kind === "requests") await one.put(kind, marked as never); // of the kind
          }
        });
        setSystemTime(START_MS + 2000);
        // One request becomes another's.
        const [moved, ...others] = FACTS.requests.filter((row) => row.workerId === workerId);
        const heir = FACTS.workers.find(({ id }) => id !== workerId)!.id;
        await change(writer, "acme", async (one) => {
          await one.put("requests", [{ ...moved!, workerId: heir, legacyId: null }]);
          await one.put("workers", [managedBy(null)]);
        });
        const known = JSON.stringify(await recordsOf(writer));
        expect(known).toContain(mark);
        setSystemTime(START_MS + 3000);
        await change(writer, "acme", async (one) => {
          for (const kind of CHILDREN_FIRST) {
            const rows = ofWorker(FACTS[kind]).filter((row) => row !== moved) as readonly Rows[Kind][];
            await one.remove(
              kind,
              rows.map((row) => keyOf(kind, row as never)),
            ); // of the kind
          }
          await one.remove("workers", [[workerId]]);
        });
        expect(others.length).toBeGreaterThan(0);
        const left = JSON.stringify(await recordsOf(writer));
        expect(left).not.toContain(mark);
        expect(left).not.toContain(`"${workerId}"`);
        const first = reader.company("acme", undefined, await revisionAt(reader, START_MS));
        expect(await first.object("workers", workerId)).toBeNull();
        const managed = reader.company("acme", undefined, await revisionAt(reader, START_MS + 1000));
        expect(await managed.object("workers", reportId)).toBe(managedBy(null).doc);
        expect(await first.object("requests", moved!.id)).toBeNull();
        expect(await reader.company("acme").object("requests", moved!.id)).not.toBeNull();
        await writer.deleteCompany("acme");
        await createCompany(writer, "acme");
        expect([await recordsOf(writer), await writer.states("acme")]).toEqual([[], []]);
      }),
    );

    test(
      "has not even the id of a row that belonged to several workers, once all of them are gone",
      atTimes(async ({ writer, reader }) => {
        const facts = {
          workers: ["wrk_ana", "wrk_bob", "wrk_mia"].map((id) => workerRow(id)),
          policies: [policyRow("top_pto")],
          requests: [requestRow("tor_moved", "wrk_ana", "top_pto")],
        };
        await addCompany(writer, "acme", facts);
        const first = await revisionAt(reader, START_MS);
        const known = () => reader.company("acme", undefined, first).object("requests", "tor_moved");
        const put = (workerId: string) => ({ requests: [requestRow("tor_moved", workerId, "top_pto")] });
        await putFacts(writer, "acme", put("wrk_bob"));
        expect(await known()).not.toBeNull();
        await change(writer, "acme", (transaction) => transaction.remove("workers", [["wrk_ana"]]));
        expect(await known()).toBeNull();
        await change(writer, "acme", async (transaction) => {
          await transaction.remove("requests", [["tor_moved"]]);
          await transaction.remove("workers", [["wrk_bob"]]);
        });
        expect(JSON.stringify(await recordsOf(writer))).not.toContain("tor_moved");
        await putFacts(writer, "acme", put("wrk_mia"));
        expect(await known()).toBeNull();
      }),
    );

    test(
      "is copied with the rows, so that the copy knows it, too",
      atTimes(async ({ writer, reader }) => {
        await addCompany(writer, "acme", FACTS);
        setSystemTime(START_MS + DAY_MS);
        await night(writer, randomOf(8), 1);
        const given = await everything(reader.company("acme", undefined, await revisionAt(reader, START_MS)));
        const [company] = await writer.companies();
        await withStore(engine, async (target) => {
          for (const _again of [1, 2]) {
            await copyCompany(writer, { store: target.writer, touchKeys: async () => {} }, company!);
            expect(await recordsOf(target.writer)).toEqual(await recordsOf(writer));
            expect(await target.writer.states("acme")).toEqual(await writer.states("acme"));
          }
          const revision = await revisionAt(target.reader, START_MS);
          expect(await everything(target.reader.company("acme", undefined, revision))).toEqual(given);
          // And goes on from there.
          setSystemTime(START_MS + 2 * DAY_MS);
          await night(target.writer, randomOf(9), 2);
          expect(await everything(target.reader.company("acme", undefined, revision))).toEqual(given);
        });
      }),
    );
  });
}
