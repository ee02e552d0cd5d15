// The same files in both engines give the same bytes: every page of every list, in both directions, and every report.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateCompany } from "../../src/generate/generate.ts";
import { readMapping } from "../../src/import/convert/mapping-file.ts";
import { importCompany } from "../../src/import/import-company.ts";
import { findSources } from "../../src/import/read/sources.ts";
import { PRESET_MAPPINGS } from "../../src/onboarding/presets/index.ts";
import type {
  BalancePosition,
  CompanyReader,
  DocPage,
  PageQuery,
  ReadStore,
  WriteStore,
} from "../../src/store/store.ts";
import { fastFolder } from "../support/fast-folder.ts";
import { createCompany, exported } from "../support/stores.ts";
import type { StoreLocation } from "./conformance/engine.ts";
import { ENGINES } from "./conformance/engines.ts";
import { asText, walk } from "./conformance/lists.ts";
import { listed } from "./listed.ts";

interface Opened {
  readonly location: StoreLocation;
  readonly writer: WriteStore;
  readonly reader: ReadStore;
}

const OPTIONS = { isDryRun: false, isPruning: false, today: 20_240, nowMs: 0, program: "tests" };
const folder = mkdtempSync(join(fastFolder(), "rollcall-identical-"));
const stores: Opened[] = [];

beforeAll(async () => {
  await generateCompany({ outDir: folder, workers: 80, seed: 7, today: "2026-03-01" });
  for (const engine of ENGINES) {
    const location = await engine.newLocation();
    const writer = await location.openWriter({ create: true });
    await createCompany(writer, "acme");
    stores.push({ location, writer, reader: await location.openReader() });
  }
}, 120_000);

afterAll(async () => {
  for (const { location, writer, reader } of stores) {
    await reader.close();
    await writer.close();
    await location.dispose();
  }
  rmSync(folder, { recursive: true, force: true });
});

/** The same read of every store; the results must be the same text. */
async function same<T>(ask: (store: Opened) => Promise<T>): Promise<T> {
  const [first, ...others] = await Promise.all(stores.map(ask));
  for (const other of others) expect(JSON.stringify(other)).toBe(JSON.stringify(first));
  return first!;
}

async function importAll(options: Partial<typeof OPTIONS> = {}) {
  const { sources } = await findSources([folder], null);
  return same(async ({ writer }) => ({
    ...(await importCompany(writer, "acme", sources, { ...OPTIONS, ...options })),
    heldMs: 0, // of no two the same
  }));
}

test("an import gives the same report, and one that changes nothing says so", async () => {
  expect((await importAll({ isDryRun: true })).isChanged).toBe(true);
  expect((await importAll()).isChanged).toBe(true);
  const version = await stores[1]!.reader.version("acme");
  const again = await importAll({ isPruning: true });
  expect(again.isChanged).toBe(false);
  expect(again.files.length).toBe(9);
  expect(await stores[1]!.reader.version("acme")).toEqual(version);
  const rows = await same(({ writer }) => exported(writer, "acme"));
  expect(rows.workers.length).toBe(80);
}, 120_000);

test("stored requests that a mapping skips are the same finding", async () => {
  const map = join(folder, "skip.json");
  writeFileSync(map, JSON.stringify({ requests: { from: "requests.csv", skip: { status: "approved" } } }));
  const { sources } = await findSources(
    [join(folder, "requests.csv")],
    await readMapping(map, PRESET_MAPPINGS),
  );
  const skipped = await same(async ({ writer }) => {
    const { findings } = await importCompany(writer, "acme", sources, OPTIONS);
    return findings.filter(({ code }) => code === "skipped-row");
  });
  expect(skipped[0]!.count).toBeGreaterThan(20);
}, 120_000);

const LISTS: Record<string, (company: CompanyReader, page: PageQuery) => Promise<DocPage>> = {
  workers: (company, page) => listed(company, "workers", page, {}),
  "active workers": (company, page) =>
    listed(company, "workers", page, { statuses: ["active", "onboarding"] }),
  policies: (company, page) => listed(company, "policies", page, {}),
  requests: (company, page) => listed(company, "requests", page, {}),
  "approved requests of two years": (company, page) =>
    listed(company, "requests", page, {
      statuses: ["approved"],
      startsOnOrAfter: Date.UTC(2024, 0, 1),
      endsBefore: Date.UTC(2026, 0, 1),
    }),
  assignments: (company, page) => listed(company, "assignments", page, {}),
};

for (const [name, read] of Object.entries(LISTS)) {
  test(`every page of ${name} is the same, forward and backward`, async () => {
    for (const size of [1, 7, 25, 100]) {
      for (const direction of ["after", "before"] as const) {
        const pages = await same(async ({ reader }) => {
          const seen: DocPage[] = [];
          const company = reader.company("acme");
          await walk(
            async (page) => {
              const found = await read(company, page);
              seen.push({ ...found, ...asText(found) });
              return found;
            },
            size,
            direction,
          );
          return seen;
        });
        expect(pages.flatMap((page) => page.docs).length).toBeGreaterThan(2);
      }
    }
  }, 120_000);
}

test("every page of balance facts is the same, forward and backward", async () => {
  for (const size of [1, 25, 100]) {
    const forward = await same(({ reader }) => balancePages(reader.company("acme"), size, "after"));
    const backward = await same(({ reader }) => balancePages(reader.company("acme"), size, "before"));
    expect(forward.flat().length).toBeGreaterThan(80);
    expect(backward.toReversed().flat().length).toBe(forward.flat().length);
  }
}, 120_000);

/** Each page's assignments with their facts in a settled order: within a worker's list, the order has no meaning. */
async function balancePages(company: CompanyReader, limit: number, direction: "after" | "before") {
  const pages: unknown[][] = [];
  let at: BalancePosition = { workerId: direction === "after" ? "wrk_" : "wrk_~", policyId: "" };
  for (;;) {
    const facts = await company.balanceFacts({ limit, [direction]: at });
    const texts = (rows: readonly object[], fields: readonly string[]) =>
      rows.map((row) => JSON.stringify(row, [...fields])).toSorted();
    pages.push(
      facts.assignments.map(({ requests, adjustments, workedHours, ...row }) => [
        row,
        texts(requests, ["status", "firstDay", "lastDay", "minutes", "terms"]),
        texts(adjustments, ["day", "minutes"]),
        texts(workedHours, ["day", "minutes"]),
      ]),
    );
    if (!facts.hasMore) return pages;
    at = direction === "after" ? facts.assignments.at(-1)! : facts.assignments[0]!;
  }
}
