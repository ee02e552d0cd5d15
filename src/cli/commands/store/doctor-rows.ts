// Checks the rows of every company: all references, and the documents of all rows or of a sample.
import { assignmentDay } from "../../../resources/assignments.ts";
import { ENDPOINTS } from "../../../resources/endpoints.ts";
import { nounOf } from "../../../resources/ids.ts";
import {
  type ImportRows,
  isParent,
  LIST_KINDS,
  LISTS,
  type ListKind,
  PARENT_COLUMNS,
  PARENT_KINDS,
  type ParentKind,
  type ResolvedRows,
} from "../../../resources/kinds.ts";
import { policyTerms, storedTerms } from "../../../resources/policies.ts";
import { withChanges } from "../../../resources/policy-changes.ts";
import { cellsOf, readImportRow, rowOf } from "../../../resources/registry.ts";
import { requestDays, zoneOf } from "../../../resources/requests.ts";
import type { Finding } from "../../../store/engine.ts";
import type { CalendarDefinition, Company, Contents } from "../../../store/store.ts";
import { type Kind, type Rows, TABLES } from "../../../store/tables.ts";
import { isTimeZone } from "../../../time/zone.ts";

/** `--quick` checks the documents of the first rows of each kind, and then every hundredth. */
const SAMPLE_FIRST = 1000;
const SAMPLE_EVERY = 100;

/** `onNote` gets unusual data that is not a fault of the store. */
export async function rowFindings(
  contents: Contents,
  isFull: boolean,
  onNote: (note: Finding) => void,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const companies = await contents.companies();
  const companyIds = new Set(companies.map(({ id }) => id));
  for (const company of companies) findings.push(...(await ofCompany(contents, company, isFull, onNote)));
  for (const kind of ["keys", "feeds"] as const) {
    for (const { id, companyId } of await contents[kind]()) {
      if (companyIds.has(companyId)) continue;
      findings.push({
        check: kind,
        problem: `${kind === "keys" ? "key" : "feed"} ${id} belongs to company ${companyId}, which does not exist`,
        advice: `rollcall ${kind} revoke ${id}, or restore a backup that has the company`,
      });
    }
  }
  return findings;
}

async function ofCompany(
  contents: Contents,
  company: Company,
  isFull: boolean,
  onNote: (note: Finding) => void,
): Promise<Finding[]> {
  const companyId = company.id;
  const references = new ReferenceCheck(companyId);
  const zones = new Map<string, string | null>();
  const checks = documentChecks((id) => zones.get(id));
  const wrong = new Tally();
  const seen: Partial<Record<Kind, number>> = {};
  await contents.export(companyId, async (kind, rows) => {
    references.take(kind, rows);
    for (const row of rows) {
      if (kind === "workers") {
        const worker = row as Rows["workers"]; // `kind` is workers
        zones.set(worker.id, worker.timeZone ?? company.timeZone);
      }
      const number = (seen[kind] ?? 0) + 1;
      seen[kind] = number;
      if (!isFull && number > SAMPLE_FIRST && number % SAMPLE_EVERY !== 0) continue;
      const problem = checks[kind]?.(row) ?? unsafeNumber(row);
      if (problem !== null) wrong.add(`company ${companyId}: ${kind} ${problem}`, nameOf(row));
    }
  });
  const advice =
    "import the company again from its source, which rewrites rows that differ; or restore a backup";
  for (const feed of await contents.feeds(companyId)) {
    const unknown = feed.revokedAtMs === null ? references.unknownTo(feed.definition) : [];
    if (unknown.length === 0) continue;
    onNote({
      check: "feeds",
      problem: `company ${companyId}: calendar feed ${feed.id} is for ${unknown.length} workers or policies that do not exist (any more)`,
      advice: `rollcall feeds create another one, then rollcall feeds revoke ${feed.id}`,
    });
  }
  return [...references.findings(), ...wrong.findings("documents", advice)];
}

/** Checks kinds without a document, too, such as work hours. */
function unsafeNumber(row: Rows[Kind]): string | null {
  const isUnsafe = (value: unknown) =>
    typeof value === "number" && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER);
  return Object.values(row).some(isUnsafe) ? "hold a number that no import accepts" : null;
}

/** Checks that the references between rows of one company resolve. Parents must come first. */
class ReferenceCheck {
  readonly #ids = new Map<ParentKind, Set<string>>(PARENT_KINDS.map((kind) => [kind, new Set<string>()]));
  readonly #tally = new Tally();
  /** Checks of references within a kind, which run when all its rows are known. */
  readonly #later: (() => unknown)[] = [];

  constructor(readonly companyId: string) {}

  take<K extends Kind>(kind: K, rows: readonly Rows[K][]): void {
    const columns = PARENT_COLUMNS.filter((parent) => parent.kind === kind);
    const ids = isParent(kind) ? this.#ids.get(kind) : undefined;
    for (const row of rows) {
      if (ids !== undefined && "id" in row) ids.add(row.id);
      for (const { column, parent } of columns) {
        const id = (row as Readonly<Record<string, string | null>>)[column]!; // references are ids
        if (id === null || this.#ids.get(parent)!.has(id)) continue;
        const note = () => {
          const noun = nounOf(LISTS[parent].idKind);
          this.#tally.add(`${kind} of a ${noun} that does not exist`, `${nameOf(row)} (${noun} ${id})`);
        };
        if (parent !== kind) note();
        else this.#later.push(() => this.#ids.get(parent)!.has(id) || note());
      }
    }
  }

  /** The ids of a feed that do not exist. */
  unknownTo({ workers, policies }: CalendarDefinition): string[] {
    return [
      ...workers.filter((id) => !this.#ids.get("workers")!.has(id)),
      ...policies.filter((id) => !this.#ids.get("policies")!.has(id)),
    ];
  }

  findings(): Finding[] {
    for (const look of this.#later) look();
    return this.#tally
      .findings("references", "import the company again with --prune, or restore a backup")
      .map((finding) => ({ ...finding, problem: `company ${this.companyId}: ${finding.problem}` }));
  }
}

function nameOf(row: Rows[Kind]): string {
  if ("id" in row) return row.id;
  return `${"workerId" in row ? row.workerId : row.policyId} on day ${row.day}`;
}

/** Counts problems of one kind and keeps the first as an example, so that a damaged store does not print a million lines. */
class Tally {
  readonly #tallies = new Map<string, { count: number; readonly example: string }>();

  add(problem: string, example: string): void {
    const tally = this.#tallies.get(problem);
    if (tally === undefined) this.#tallies.set(problem, { count: 1, example });
    else tally.count++;
  }

  findings(check: string, advice: string): Finding[] {
    return [...this.#tallies].map(([problem, { count, example }]) => ({
      check,
      problem: `${problem}: ${count === 1 ? example : `${count} rows, the first is ${example}`}`,
      advice,
    }));
  }
}

// Checks that stored objects follow the contract: a row that is exported and imported must come out the same.

/** Describes what is wrong with a row's document; null if nothing is. */
type Check<R> = (row: R) => string | null;

/** The checks of kinds with stored objects. `zoneOfWorker` returns undefined for an unknown worker. */
function documentChecks(zoneOfWorker: (workerId: string) => string | null | undefined): {
  readonly [K in Kind]?: Check<Rows[K]>;
} {
  const requestColumns = (importRow: ImportRows["requests"], row: Rows["requests"]) => {
    const workersZone = zoneOfWorker(row.workerId);
    const isKnown = workersZone !== undefined && isTimeZone(zoneOf(importRow, workersZone));
    // Without the worker's zone, the days cannot be computed. The unknown worker is a finding of its own.
    return isKnown ? requestDays(resolved<"requests">(importRow), workersZone) : row;
  };
  const rebuilt: ComputedRows & { readonly [K in ListKind]?: Rebuilt<K> } = {
    // A calendar's id is derived from the company's id, too.
    holidays: (importRow, { calendarId }) =>
      rowOf("holidays", { ...resolved<"holidays">(importRow), ...{ calendarId } }, { calendarId }),
    policies: (importRow, row) => {
      const { changes = [], given } = storedTerms(row);
      // `given` has the terms of the file. If they count only from a later day on, they are stored nowhere else.
      const terms = JSON.stringify({ ...policyTerms(importRow), ...(given && { given }) });
      const plain = rowOf("policies", resolved<"policies">(importRow), { terms });
      // A row holds the terms that applied on the day of its last import. That day is not known here, so the terms of every day are tried.
      const days = [-Infinity, ...changes.map(({ from }) => from)];
      const possible = days.map((day) => withChanges(plain, changes, day));
      return possible.find(({ doc }) => doc === row.doc) ?? possible[0]!; // the first day is always there
    },
    assignments: (importRow) =>
      rowOf("assignments", resolved<"assignments">(importRow), { assignedDay: assignmentDay(importRow) }),
    requests: (importRow, row) => {
      const { firstDay, lastDay } = requestColumns(importRow, row);
      return rowOf("requests", resolved<"requests">(importRow), { firstDay, lastDay });
    },
  };
  const plain =
    <K extends ListKind>(kind: K): Rebuilt<K> =>
    (importRow, row) => {
      // Fields that no import file has come from the stored object.
      const objects = JSON.parse(row.doc);
      return rowOf(kind, { ...objects, ...resolved<K>(importRow), objects }, {} as never);
    };
  const checkOf = <K extends ListKind>(kind: K) =>
    check(kind, (rebuilt[kind] as Rebuilt<K> | undefined) ?? plain(kind)); // the kind's own
  return Object.fromEntries(LIST_KINDS.map((kind) => [kind, checkOf(kind)]));
}

/** Makes a row again from its document and its columns. */
type Rebuilt<K extends ListKind> = (importRow: ImportRows[K], row: Rows[K]) => Rows[K];

/** The kinds with computed columns. */
type ComputedRows = {
  readonly [K in ListKind as keyof (typeof LISTS)[K]["derived"] extends never ? never : K]: Rebuilt<K>;
};

/** A stored row has ids instead of names, and no local times. So its import row needs no more resolving. */
function resolved<K extends ListKind>(importRow: ImportRows[K]): ResolvedRows[K] {
  return importRow as ResolvedRows[K];
}

function check<K extends ListKind>(kind: K, rebuilt: Rebuilt<K>): Check<Rows[K]> {
  const { item } = ENDPOINTS[kind].list;
  return (row) => {
    let json: unknown;
    try {
      json = JSON.parse(row.doc);
    } catch {
      return "do not hold JSON";
    }
    const parsed = item.safeParse(json);
    if (!parsed.success)
      return `break the contract at ${parsed.error.issues[0]?.path.join(".") || "their top"}`;
    if (JSON.stringify(parsed.data) !== row.doc) return "are not written as the contract orders";
    const expected = rebuiltRow(kind, row, rebuilt);
    if (typeof expected === "string") return expected;
    const column = TABLES[kind].columns.find((column) => expected[column] !== row[column]);
    return column === undefined ? null : `disagree with their column ${column}`;
  };
}

/** The row, made again from its document and the columns beside it; or why it cannot be made. */
function rebuiltRow<K extends ListKind>(kind: K, row: Rows[K], rebuilt: Rebuilt<K>): Rows[K] | string {
  let cells: Readonly<Record<string, unknown>>;
  try {
    cells = cellsOf(kind, row);
  } catch {
    return "disagree with their column terms"; // besides `doc`, only `terms` is JSON
  }
  const { importRow, problems } = readImportRow(kind, cells);
  return importRow === null
    ? `have a value that no import accepts: ${problems[0]!.field}`
    : rebuilt(importRow, row);
}
