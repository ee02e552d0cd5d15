// Property: a copy that is kept by the change feed alone equals the store whenever the feed says that it is complete, whatever
// happens between its pages (see changes-model.ts; changes.trial.ts runs it a thousand times). Also: the order of entries, what makes
// an entry and what does not, and which positions are gone.
import { describe, expect, setSystemTime, test } from "bun:test";
import { CHANGE_RESOURCES, type ChangeResource } from "../../../src/resources/changes.ts";
import { LIST_KINDS, type ListKind } from "../../../src/resources/kinds.ts";
import type {
  ChangePosition,
  ChangesPage,
  ImportTransaction,
  ReadStore,
  WriteStore,
} from "../../../src/store/store.ts";
import { KINDS, type Kind, keyOf, type Rows } from "../../../src/store/tables.ts";
import { makeFacts } from "../../support/random-rows.ts";
import {
  assignmentRow,
  type Facts,
  holidayRow,
  policyRow,
  requestRow,
  workerRow,
  workplaceRow,
} from "../../support/rows.ts";
import { change, createCompany, putFacts } from "../../support/stores.ts";
import { runModels } from "../changes-model.ts";
import { type Engine, withFacts, withStore } from "./engine.ts";

const FACTS = makeFacts(11, 6);
const DAY_MS = 86_400_000;

type Asked = Partial<{
  after: ChangePosition | "now" | null;
  resources: readonly ChangeResource[];
  limit: number;
}>;

function ask(reader: ReadStore, asked: Asked = {}, companyId = "acme"): Promise<ChangesPage | "gone"> {
  return reader
    .company(companyId)
    .changes({ after: null, resources: CHANGE_RESOURCES, limit: 1000, ...asked });
}

async function pageOf(reader: ReadStore, asked: Asked = {}): Promise<ChangesPage> {
  const page = await ask(reader, asked);
  if (page === "gone") throw new Error("the position is gone");
  return page;
}

const keysOf = <K extends Kind>(kind: K, rows: readonly Rows[K][]) => rows.map((row) => keyOf(kind, row));

/** An import that says how long removals are kept. */
function importKeeping(
  writer: WriteStore,
  keepRemovalsMs: number,
  work: (transaction: ImportTransaction) => Promise<void>,
): Promise<void> {
  return writer.change("acme", async (transaction) => {
    await work(transaction);
    return { result: undefined, changed: true, commit: true, keepRemovalsMs };
  });
}

const shown = ({ entries }: ChangesPage) =>
  entries.map(({ resource, id, removed }) => `${removed ? "-" : "+"}${resource} ${id}`);

export function feed(engine: Engine): void {
  describe("the feed", () => {
    test("keeps a copy equal to the store, whatever happens between its pages", async () => {
      // PostgreSQL takes ten times as long; changes.trial.ts takes its time.
      const seeds = engine.name === "SQLite" ? [1, 2, 3] : [1];
      const { completions } = await runModels(engine, seeds, 60);
      expect(completions).toBeGreaterThan(6 * seeds.length);
    });

    test("before the first import there is nothing, then its position leads to everything", () =>
      withStore(engine, async ({ reader, writer }) => {
        await createCompany(writer, "acme");
        const empty = await pageOf(reader);
        expect(empty).toMatchObject({ entries: [], hasMore: false, asOfMs: null });
        await putFacts(writer, "acme", FACTS);
        const page = await pageOf(reader, { after: empty.position });
        const workers = new Set(FACTS.assignments.map(({ workerId }) => workerId));
        const ofBalances = page.entries.filter(({ resource }) => resource === "balances");
        expect(new Set(ofBalances.map(({ id }) => id))).toEqual(workers);
        const objects = LIST_KINDS.reduce((sum, kind) => sum + FACTS[kind].length, 0);
        expect(page.entries).toHaveLength(objects + workers.size);
        expect(page.hasMore).toBe(false);
      }));

    test("from the beginning, every unchanged object is sent once, parents first, and no balances", () =>
      withFacts(engine, FACTS, async ({ reader }) => {
        const found: string[] = [];
        let page = await pageOf(reader, { limit: 7 });
        for (; ; page = await pageOf(reader, { limit: 7, after: page.position })) {
          found.push(...shown(page));
          if (!page.hasMore) break;
          expect(page.entries).toHaveLength(7);
        }
        const ids = (kind: ListKind) => FACTS[kind].map(({ id }) => `+${kind} ${id}`).sort();
        expect(found.map((one) => one)).toEqual(LIST_KINDS.flatMap(ids));
      }));

    test("an import is told parents first, then whose balances changed, then removals, children first", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        const { position } = await pageOf(reader, { after: "now" });
        const added = workerRow("wrk_added");
        await change(writer, "acme", async (transaction) => {
          for (const kind of KINDS.toReversed())
            await transaction.remove(kind, keysOf(kind, FACTS[kind] as never));
          await transaction.put("workers", [added]);
          await transaction.put("policies", [policyRow("top_added")]);
          await transaction.put("assignments", [assignmentRow("toa_added", "wrk_added", "top_added")]);
          await transaction.put("requests", [requestRow("tor_added", "wrk_added", "top_added")]);
        });
        const page = await pageOf(reader, { after: position });
        const kinds = shown(page).map((one) => one.split(" ")[0]!);
        expect(kinds.filter((kind, at) => kind !== kinds[at - 1])).toEqual([
          "+workers",
          "+policies",
          "+assignments",
          "+requests",
          "+balances",
          ...LIST_KINDS.toReversed().map((kind) => `-${kind}`),
        ]);
        expect(page.entries[0]).toEqual({
          resource: "workers",
          id: "wrk_added",
          removed: false,
          doc: added.doc,
        });
        const removed = page.entries.filter((entry) => entry.removed);
        expect(removed.every(({ doc }) => doc === null)).toBe(true);
      }));

    test("what is not on the wire makes no entry of the object, and one of its worker's balances if they depend on it", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        const { position } = await pageOf(reader, { after: "now" });
        const request = FACTS.requests.find(({ status }) => status === "approved")!;
        const [worker] = FACTS.workers;
        await change(writer, "acme", async (transaction) => {
          await transaction.put("requests", [{ ...request, firstDay: request.firstDay - 1 }]);
          await transaction.put("workers", [{ ...worker!, timeZone: "Asia/Tokyo" }]);
        });
        const page = await pageOf(reader, { after: position });
        expect(shown(page)).toEqual([`+balances ${request.workerId}`]);
        await change(writer, "acme", (transaction) =>
          transaction.put("policies", [{ ...FACTS.policies[0]!, terms: "{}" }]),
        );
        expect(shown(await pageOf(reader, { after: page.position }))).toEqual([
          `+balances ${FACTS.policies[0]!.id}`,
        ]);
      }));

    test("what changes the holidays that somebody has makes an entry of their balances, and of nobody else's", () =>
      withStore(engine, async ({ reader, writer }) => {
        const office = (calendar: string | null, name = "Office"): Rows["workplaces"] => ({
          ...workplaceRow("wkp_office", { name, holidayCalendarId: calendar }),
          holidayCalendar: calendar,
        });
        const person = (id: string, workplaceId: string | null) => ({ ...workerRow(id), workplaceId });
        const schedule = (calendar: string | null): Rows["schedules"] => {
          const terms = '{"minutesPerWeekday":[[480,480,480,480,480,0,0]]}';
          return { workerId: "wrk_schedule", day: 20_000, calendar, terms };
        };
        const day = (calendar: string, minutes: number | null = null, name = "Labour Day") => ({
          holidays: [holidayRow("hol_1", { calendar, calendarId: `hca_${calendar}`, minutes, name })],
        });
        await createCompany(writer, "acme");
        await putFacts(writer, "acme", {
          workplaces: [office("Berlin"), { ...office("Lisbon"), id: "wkp_other" }],
          workers: [
            person("wrk_office", "wkp_office"),
            person("wrk_other", "wkp_other"),
            person("wrk_schedule", null),
            person("wrk_none", null),
          ],
          schedules: [schedule("Berlin")],
          policies: [policyRow("top_a")],
        });
        const [inBerlin, ofOffice] = [["wrk_office", "wrk_schedule"], ["wrk_office"]];
        const all = [...inBerlin, "wrk_other"];
        const steps: readonly (readonly [what: string, rows: Facts | null, changed: readonly string[]])[] = [
          ["a holiday comes", day("Berlin"), inBerlin],
          ["it is half a day", day("Berlin", 240), inBerlin],
          ["it has another name", day("Berlin", 240, "May Day"), []],
          ["it is of another calendar", day("Lisbon", 240, "May Day"), all],
          ["it is of the former one", day("Berlin", 240, "May Day"), all],
          ["it goes", null, inBerlin],
          ["the office has another name", { workplaces: [office("Berlin", "Tower")] }, []],
          ["the office has another calendar", { workplaces: [office("Lisbon", "Tower")] }, ofOffice],
          ["the office has none", { workplaces: [office(null, "Tower")] }, ofOffice],
          ["the schedule has another calendar", { schedules: [schedule("Lisbon")] }, ["wrk_schedule"]],
          ["somebody moves", { workers: [person("wrk_none", "wkp_other")] }, ["wrk_none"]],
        ];
        let { position } = await pageOf(reader, { after: "now" });
        for (const [what, rows, changed] of steps) {
          if (rows !== null) await putFacts(writer, "acme", rows);
          else await change(writer, "acme", (transaction) => transaction.remove("holidays", [["hol_1"]]));
          const page = await pageOf(reader, { after: position });
          const ofBalances = page.entries.filter(({ resource }) => resource === "balances");
          expect([what, ...ofBalances.map(({ id }) => id).toSorted()]).toEqual([what, ...changed.toSorted()]);
          ({ position } = page);
        }
      }));

    test("other rules of a policy make an entry of its balances, and of everybody whose balance moved from it, step by step", () =>
      withStore(engine, async ({ reader, writer }) => {
        const moved = (workerId: string, policyId: string, movesFrom: string | null) => ({
          ...assignmentRow(`toa_${workerId}_${policyId}`, workerId, policyId),
          movesFrom,
        });
        await createCompany(writer, "acme");
        await putFacts(writer, "acme", {
          workers: [workerRow("wrk_moved"), workerRow("wrk_twice"), workerRow("wrk_stayed")],
          policies: [policyRow("top_a"), policyRow("top_b"), policyRow("top_c")],
          assignments: [
            moved("wrk_moved", "top_a", null),
            moved("wrk_moved", "top_b", "top_a"),
            moved("wrk_twice", "top_a", null),
            moved("wrk_twice", "top_b", "top_a"),
            moved("wrk_twice", "top_c", "top_b"),
            moved("wrk_stayed", "top_c", null),
          ],
        });
        const steps = { top_a: ["wrk_moved", "wrk_twice"], top_b: ["wrk_twice"], top_c: [] };
        let { position } = await pageOf(reader, { after: "now" });
        for (const [policyId, workers] of Object.entries(steps)) {
          const policy = { ...policyRow(policyId), terms: "{}" };
          await putFacts(writer, "acme", { policies: [policy] });
          const page = await pageOf(reader, { after: position });
          expect(shown(page)).toEqual([policyId, ...workers].map((id) => `+balances ${id}`));
          ({ position } = page);
        }
      }));

    test("an import that puts what is there, or is not committed, moves nothing", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        const before = [await pageOf(reader, { after: "now" }), await reader.version("acme")];
        await writer.change("acme", async (transaction) => {
          for (const kind of KINDS) await transaction.put(kind, FACTS[kind] as never); // of the kind
          return { result: null, changed: false, commit: true };
        });
        await writer.change("acme", async (transaction) => {
          await transaction.put("workers", [workerRow("wrk_added")]);
          return { result: null, changed: true, commit: false };
        });
        expect([await pageOf(reader, { after: "now" }), await reader.version("acme")]).toEqual(before);
      }));

    test("a position that is older than a forgotten removal of its resources is gone, others are not", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        const { position } = await pageOf(reader, { after: "now" });
        const [first, second] = FACTS.requests;
        await importKeeping(writer, 90 * DAY_MS, (transaction) =>
          transaction.remove("requests", keysOf("requests", [first!])),
        );
        const removal = await pageOf(reader, { after: position, resources: ["requests"] });
        expect(shown(removal)).toEqual([`-requests ${first!.id}`]);
        await importKeeping(writer, 0, (transaction) =>
          transaction.remove("requests", keysOf("requests", [second!])),
        );
        for (const after of [position, removal.position]) {
          expect(await ask(reader, { after })).toBe("gone");
          expect(await pageOf(reader, { after, resources: ["workers"] })).toMatchObject({ entries: [] });
        }
        // In the midst of the import whose removals are forgotten.
        const page = await pageOf(reader, { after: removal.position, resources: ["balances"] });
        const within = { ...page.position, step: "balances", id: second!.workerId };
        expect(await ask(reader, { after: within, resources: ["requests"] })).toBe("gone");
        expect(await ask(reader, { after: page.position, resources: ["requests"] })).toMatchObject({
          entries: [],
        });
      }));

    test("a position of resources that do not change stays good, however long removals of others are forgotten", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        const ofWorkers = await pageOf(reader, { after: "now", resources: ["workers"] });
        const ofRequests = await pageOf(reader, { after: "now", resources: ["requests"] });
        const startMs = Date.now();
        try {
          for (const [at, request] of FACTS.requests.slice(0, 8).entries()) {
            setSystemTime(new Date(startMs + at * 13 * DAY_MS)); // the last after 91 days
            await change(writer, "acme", (transaction) =>
              transaction.remove("requests", keysOf("requests", [request])),
            );
          }
        } finally {
          setSystemTime();
        }
        const { position } = ofWorkers;
        expect(await ask(reader, { after: position, resources: ["workers"] })).toMatchObject({ entries: [] });
        expect(await ask(reader, { after: ofRequests.position, resources: ["requests"] })).toBe("gone");
      }));

    test("while an import is held just before its commit, nobody sees it or one that came after it", () =>
      withFacts(engine, FACTS, async ({ location, reader, writer }) => {
        const { position } = await pageOf(reader, { after: "now" });
        const other = await location.openWriter();
        const held = Promise.withResolvers<void>();
        const written = Promise.withResolvers<void>();
        const first = change(writer, "acme", async (transaction) => {
          await transaction.put("workers", [workerRow("wrk_first")]);
          written.resolve();
          await held.promise;
        });
        await written.promise;
        const waits = Promise.withResolvers<void>();
        const second = other.change(
          "acme",
          async (transaction) => {
            await transaction.put("workers", [workerRow("wrk_a_second")]);
            return { result: null, changed: true, commit: true };
          },
          { onWait: () => waits.resolve() },
        );
        await waits.promise;
        expect(await pageOf(reader, { after: position })).toMatchObject({ entries: [] });
        held.resolve();
        await Promise.all([first, second]);
        const pages = [await pageOf(reader, { after: position, limit: 1 })];
        pages.push(await pageOf(reader, { after: pages[0]!.position, limit: 1 }));
        expect(pages.map(shown)).toEqual([["+workers wrk_first"], ["+workers wrk_a_second"]]);
        await other.close();
      }));

    test("a position of another company, of a company made again, or with another mark is gone", () =>
      withFacts(engine, FACTS, async ({ reader, writer }) => {
        const { position } = await pageOf(reader);
        await createCompany(writer, "other");
        await putFacts(writer, "other", FACTS);
        expect(await ask(reader, { after: position }, "other")).toBe("gone");
        expect(await ask(reader, { after: { ...position, mark: "0123456789abcdef" } })).toBe("gone");
        expect(await ask(reader, { after: { ...position, seq: position.seq + 1 } })).toBe("gone");
        expect(await ask(reader, { after: { ...position, seq: 999_999_999_999 } })).toBe("gone");
        await writer.deleteCompany("acme");
        await createCompany(writer, "acme");
        await putFacts(writer, "acme", FACTS);
        expect(await ask(reader, { after: position })).toBe("gone");
      }));
  });
}
