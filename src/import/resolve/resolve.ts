// From import rows to rows: which row each import row is, and what its references name. One function a kind, each for a batch.
import { countWorkDays } from "../../balances/leave.ts";
import { assignedAtOf, assignmentDay } from "../../resources/assignments.ts";
import {
  type ImportRows,
  isNamedKind,
  type NamedKind,
  PARENT_COLUMNS,
  type ParentIds,
  type RESOURCES,
  type ResolvedRows,
} from "../../resources/kinds.ts";
import {
  isOwed,
  OWN_TERMS,
  ownTermProblem,
  type Policy,
  policyTerms,
  type StoredPolicyTerms,
  scheduleOf,
  storedTerms,
} from "../../resources/policies.ts";
import { cellOf, rowOf } from "../../resources/registry.ts";
import {
  dayOutside,
  daysOfAnyZone,
  followsWorker,
  LEAVE_AMOUNT,
  rangeTypes,
  requestDays,
  zoneOf,
} from "../../resources/requests.ts";
import { displayName } from "../../resources/workers.ts";
import type { ImportTransaction } from "../../store/store.ts";
import { type Kind, keyOf, type Rows } from "../../store/tables.ts";
import { formatDay } from "../../time/day.ts";
import { keyText } from "../memory.ts";
import { type OpeningNote, openingNotes } from "../opening-notes.ts";
import type { LocatedRow, WorkPattern } from "../read/import-rows.ts";
import { type RowProblem, shown } from "../row-errors.ts";
import { type Identified, mintedId, type NamedContext, NamedRows } from "./identity.ts";
import { timedRequest } from "./local-times.ts";
import { referenceProblem } from "./references.ts";
import { adopted, type GroupKind, type WorkerLinks } from "./worker-objects.ts";

/** What the rows of a kind are resolved with. */
interface ResolverContext extends NamedContext {
  readonly links: WorkerLinks;
}

/** A row with what is stored under its key; or why there is none. */
export type ResolvedRow<K extends Kind> =
  | {
      readonly row: Rows[K];
      readonly stored: Rows[K] | null;
      /** Of a request: a written day that it touches in another time zone only. */
      readonly dayOfAnotherZone?: number;
      /** What is probably wrong with it. */
      readonly notes?: readonly OpeningNote[];
    }
  | RefusedRow;

interface RefusedRow {
  readonly row: null;
  readonly problems: readonly RowProblem[];
  /** The row itself may be right, but it refers to one that was refused. */
  readonly isOrphaned?: boolean;
}

function refusedFor(...problems: readonly RowProblem[]): RefusedRow {
  return { row: null, problems };
}

/** Resolves the import rows of a batch, in order. The rows of earlier batches have been written. */
export type Resolver<K extends Kind> = (located: readonly LocatedRow<K>[]) => Promise<ResolvedRow<K>[]>;

/** The kinds without computed columns: `namedResolver` can do, or `keyedResolver` where rows have no legacy id. */
type PlainKind = {
  [K in Kind]: keyof (typeof RESOURCES)[K]["derived"] extends never ? K : never;
}[Kind];

type Resolvers = { readonly [K in Kind]: (context: ResolverContext) => Resolver<K> };

/** Resolvers of kinds with computed columns, and of those that more is done for than `namedResolver` and `keyedResolver` do. */
const OWN: Pick<Resolvers, Exclude<Kind, PlainKind>> & Partial<Resolvers> = {
  workplaces: (context) =>
    namedResolver("workplaces", context, ({ holidayCalendar }) => ({
      holidayCalendarId:
        holidayCalendar === null ? null : mintedId(context.companyId, "holidayCalendars", holidayCalendar),
    })),
  holidays: (context) => {
    const named = new NamedRows("holidays", context);
    const minted = (kind: "holidays" | "holidayCalendars", ...name: readonly string[]) =>
      mintedId(context.companyId, kind, ...name);
    return async (located) => {
      const importRows = located.map(({ importRow }) => importRow);
      const rows = await named.identify(
        importRows.map(({ id, legacyId, calendar, date, name }) => ({
          id: id ?? (legacyId === null ? minted("holidays", calendar, formatDay(date), name) : null),
          legacyId,
        })),
      );
      return importRows.map((importRow, at) => {
        const ofCalendar = { calendarId: minted("holidayCalendars", importRow.calendar) };
        return built(rows[at]!, (identity) =>
          rowOf("holidays", { ...importRow, ...identity, ...ofCalendar }, ofCalendar),
        );
      });
    };
  },

  workers: (context) => {
    const named = new NamedRows("workers", context);
    return async (located) => {
      const importRows = located.map(({ importRow }) => importRow);
      const rows = await named.identify(importRows);
      return importRows.map((importRow, at) => {
        const groups = context.links.groupsOf(importRow);
        if (Array.isArray(groups)) return refusedFor(...groups);
        return built(rows[at]!, (identity, stored) => {
          const managerId = importRow.managerId === null ? null : (stored?.managerId ?? null); // see worker-objects.ts
          const objects = context.links.objectsOf({ ...groups, managerId }, stored);
          const names = { displayName: displayName(importRow), managerId };
          const worker = { ...identity, ...groups, ...names, objects };
          return context.links.dated(rowOf("workers", { ...importRow, ...worker }, {}), stored);
        });
      });
    };
  },

  policies: (context) => {
    const named = new NamedRows("policies", context);
    const typeIdsOf = timeOffTypes(context);
    return async (located) => {
      const importRows = located.map(({ importRow }) => importRow);
      const rows = await named.identify(importRows);
      const typeIds = await typeIdsOf(
        importRows,
        rows.map((row) => (row.problem === undefined ? row.stored : null)),
      );
      return importRows.map((importRow, at) =>
        built(rows[at]!, (identity) => {
          const terms = policyTerms(importRow);
          return rowOf(
            "policies",
            {
              ...importRow,
              ...identity,
              isUnlimited: terms.isUnlimited,
              timeOffTypeId: typeIds[at]!,
              isPaidOut: isOwed(importRow),
            },
            { terms: JSON.stringify(terms) },
          );
        }),
      );
    };
  },

  assignments: (context) => async (located) => {
    const importRows = located.map(({ importRow }) => importRow);
    const { companyId, transaction, memory, isFresh } = context;
    const parents = await parentsOf("assignments", context, importRows);
    const pairs = parents.map(({ workerId, policyId }) => [workerId ?? "", policyId ?? ""]);
    const stored = isFresh ? [] : await transaction.stored("assignments", pairs);
    const ids = importRows.map(
      (importRow, at) => importRow.id ?? stored[at]?.id ?? mintedId(companyId, "assignments", ...pairs[at]!),
    );
    // Only an id that is new to its pair can be taken by another pair.
    const newIds = isFresh ? [] : ids.filter((id, at) => stored[at]?.id !== id);
    const owners = newIds.length === 0 ? [] : await transaction.assignmentsById(newIds);
    const terms = await termsOfPolicies(transaction, importRows, parents);
    const ownerOf = new Map(owners.flatMap((owner) => (owner === null ? [] : [[owner.id, owner]])));
    return importRows.map((importRow, at) => {
      const { workerId, policyId, movesFrom, refused } = parents[at]!;
      if (refused !== null) return refused;
      const policy = terms.get(policyId);
      if (movesFrom !== null) {
        const isUnlimited = [policyId, movesFrom].some((id) => terms.get(id)!.isUnlimited); // they are looked up
        if (isUnlimited || movesFrom === policyId) {
          const message = isUnlimited
            ? "cannot move: one of the two policies is unlimited, and has no balance"
            : "is the assignment's own policy: name the one that the balance moves from";
          return refusedFor({ field: "movesFrom", value: shown(importRow.movesFrom!), message });
        }
      }
      const own = policy === undefined ? null : ownTermProblem(importRow, policy);
      if (own !== null) {
        const value = shown(String(cellOf("assignments", own.field)?.write(importRow[own.field]) ?? ""));
        return refusedFor({ ...own, value });
      }
      const id = ids[at]!;
      const before = stored[at] ?? null;
      if (before !== null && before.id !== id) {
        const message = "is not the id of this worker's assignment to this policy";
        const other = `: it has ${before.id}, and ids never change`;
        return refusedFor({ field: "id", value: shown(id), message, other });
      }
      const owner = ownerOf.get(id) ?? null;
      const isTakenHere = () => {
        const pair = keyText([workerId, policyId]);
        memory.noteLegacyId("assignments", id, pair);
        return memory.idOfLegacyId("assignments", id) !== pair;
      };
      const isTaken = owner !== null && (owner.workerId !== workerId || owner.policyId !== policyId);
      if (isTaken || isTakenHere()) {
        const message = "is the id of another worker's or policy's assignment";
        return refusedFor({ field: "id", value: shown(id), message });
      }
      const row = rowOf(
        "assignments",
        { ...importRow, id, workerId, policyId, movesFrom, assignedAt: assignedAtOf(importRow) },
        { assignedDay: assignmentDay(importRow) },
      );
      return { row, stored: before };
    });
  },

  requests: (context) => {
    const named = new NamedRows("requests", context);
    return async (located) => {
      const importRows = located.map(({ importRow }) => importRow);
      const parents = await parentsOf("requests", context, importRows);
      const rows = await named.identify(importRows);
      const zoneless = parents.map(({ workerId }, at) => (followsWorker(importRows[at]!) ? workerId : null));
      const zones = await context.references.timeZones(zoneless);
      return importRows.map((importRow, at) => {
        const { workerId, policyId, refused } = parents[at]!;
        const workersZone = zones[at]!;
        if (refused !== null) return refused;
        const timed = timedRequest(importRow, workersZone);
        if (Array.isArray(timed)) return refusedFor(...timed);
        const days = requestDays(timed, workersZone);
        const pattern = located[at]!.amountFrom;
        const amount = pattern === null ? {} : { [LEAVE_AMOUNT]: minutesOf(pattern, days) };
        const resolved = built(rows[at]!, (identity) =>
          rowOf(
            "requests",
            {
              ...timed,
              ...rangeTypes(importRow),
              ...identity,
              ...amount,
              workerId,
              timeOffPolicyId: policyId,
            },
            days,
          ),
        );
        const outside = dayOutside(timed.dayMinutes, days);
        if (outside === null || hasWrittenDays(resolved)) return resolved;
        const mistaken = dayOutside(timed.dayMinutes, daysOfAnyZone(timed));
        if (mistaken !== null) return refusedFor(outsideProblem(mistaken, days, zoneOf(timed, workersZone)));
        return resolved.row === null ? resolved : { ...resolved, dayOfAnotherZone: outside };
      });
    };
  },

  adjustments: (context) => {
    const named = new NamedRows("adjustments", context);
    return async (located) => {
      const importRows = located.map(({ importRow }) => importRow);
      const parents = await parentsOf("adjustments", context, importRows);
      const rows = await named.identify(
        importRows.map((importRow, at) => ({
          ...importRow,
          id: importRow.id ?? unnamedId(context.companyId, importRow, parents[at]!),
        })),
      );
      return importRows.map((importRow, at) => {
        const { workerId, policyId, refused } = parents[at]!;
        if (refused !== null) return refused;
        return built(rows[at]!, (identity) =>
          rowOf("adjustments", { ...importRow, ...identity, workerId, policyId }, {}),
        );
      });
    };
  },

  openings: (context) => async (located) => {
    const importRows = located.map(({ importRow }) => importRow);
    const { transaction, isFresh } = context;
    const parents = await parentsOf("openings", context, importRows);
    const pairs = parents.map(({ workerId, policyId }) => [workerId ?? "", policyId ?? ""]);
    const stored = isFresh ? [] : await transaction.stored("openings", pairs);
    const assignments = await transaction.stored("assignments", pairs);
    const policies = await transaction.stored(
      "policies",
      parents.map(({ policyId }) => [policyId ?? ""]),
    );
    const workers = await transaction.stored(
      "workers",
      parents.map(({ workerId }) => [workerId ?? ""]),
    );
    return importRows.map((importRow, at) => {
      const { workerId, policyId, refused } = parents[at]!;
      if (refused !== null) return refused;
      const row = rowOf("openings", { ...importRow, workerId, policyId }, {});
      const assignment = assignments[at] ?? null;
      const [policy, worker] = [policies[at]!, workers[at]!]; // what it refers to is there
      const problem = openingProblem(importRow, assignment, policy);
      if (problem !== null) return refusedFor(problem);
      return { row, stored: stored[at] ?? null, notes: openingNotes(row, assignment, policy, worker) };
    });
  },
};

/** The resolver of a kind whose rows are told apart by what they belong to and by a day. */
function keyedResolver<K extends Exclude<PlainKind, NamedKind>>(
  kind: K,
  context: ResolverContext,
): Resolver<K> {
  return async (located) => {
    const importRows = located.map(({ importRow }) => importRow);
    const parents = await parentsOf(kind, context, importRows);
    const rows = importRows.map((importRow, at) => {
      const resolved = { ...importRow, ...parents[at]! } as unknown as ResolvedRows[K]; // ids are what it resolves
      return rowOf<K>(kind, resolved, {} as Parameters<typeof rowOf<K>>[2]); // a plain kind has no computed columns
    });
    const keys = rows.map((row) => keyOf(kind, row).map((part) => part ?? "")); // of a refused row, ids are missing
    const stored = context.isFresh ? [] : await context.transaction.stored(kind, keys);
    return rows.map((row, at) => parents[at]!.refused ?? { row, stored: stored[at] ?? null });
  };
}

/** Why there can be no such opening; null: there can. */
function openingProblem(
  { date, policyId }: ImportRows["openings"],
  assignment: Rows["assignments"] | null,
  policy: Rows["policies"],
): RowProblem | null {
  const problem = (field: string, value: string, message: string) => ({
    field,
    value: shown(value),
    message,
  });
  if (scheduleOf(policy) === "unlimited")
    return problem("policyId", policyId, "names an unlimited policy, which has no balance");
  if (assignment === null || date >= assignment.assignedDay - 1) return null;
  const message = `is more than a day before the assignment begins on ${formatDay(assignment.assignedDay)}: give the assignment its true first day`;
  return problem("date", formatDay(date), message);
}

/** The resolver of a kind: its own, or the one that follows from its definition. */
export function resolverOf<K extends Kind>(kind: K, context: ResolverContext): Resolver<K> {
  const own = (OWN as Partial<Resolvers>)[kind] as Resolvers[K] | undefined; // the kind's own
  if (own !== undefined) return own(context);
  const plain = isNamedKind(kind)
    ? namedResolver(kind as PlainKind & NamedKind, context)
    : keyedResolver(kind as Exclude<PlainKind, NamedKind>, context); // by the type of OWN
  return plain as unknown as Resolver<K>;
}

/** A row is what its id or legacy id says, and belongs to what its references name. `more`: what fields that are `made` need. */
function namedResolver<K extends PlainKind & NamedKind>(
  kind: K,
  context: ResolverContext,
  more: (importRow: ImportRows[K]) => object = () => ({}),
): Resolver<K> {
  const named = new NamedRows(kind, context);
  const columns = PARENT_COLUMNS.filter((one) => one.kind === kind);
  return async (located) => {
    const given = located.map(({ importRow }) => importRow);
    const importRows = isGroup(kind) ? await adopted(kind, context, given) : given;
    const parents = await parentsOf(kind, context, importRows);
    const rows = await named.identify(importRows as readonly Pick<ImportRows[K], "id" | "legacyId">[]);
    return importRows.map((importRow, at) => {
      const { refused } = parents[at]!;
      if (refused !== null) return refused;
      const ids: Readonly<Record<string, unknown>> = parents[at]!;
      const references = Object.fromEntries(columns.map(({ field, column }) => [field, ids[column]]));
      return built<K>(rows[at]!, (identity) => {
        const resolved = { ...importRow, ...more(importRow), ...identity, ...references } as ResolvedRows[K]; // ids and references are what it resolves
        return rowOf<K>(kind, resolved, {} as Parameters<typeof rowOf<K>>[2]); // a plain kind has no computed columns
      });
    });
  };
}

function isGroup(kind: Kind): kind is GroupKind {
  return kind === "departments" || kind === "workplaces";
}

/** The id of an adjustment that has neither id nor legacy id: worker, policy and date tell it from others. */
function unnamedId(
  companyId: string,
  importRow: ImportRows["adjustments"],
  parents: Parents<"adjustments">,
): string | null {
  if (importRow.legacyId !== null || parents.refused !== null) return null;
  return mintedId(companyId, "adjustments", parents.workerId, parents.policyId, String(importRow.date));
}

function built<K extends NamedKind>(
  found: Identified<K>,
  build: (identity: { id: string; legacyId: string | null }, stored: Rows[K] | null) => Rows[K],
): ResolvedRow<K> {
  if (found.problem !== undefined) return refusedFor({ field: null, value: null, message: found.problem }); // of the row as a whole
  return { row: build(found.identity, found.stored), stored: found.stored };
}

/** The terms of the policies that assignments with terms of their own are to, and of those between which a balance moves. */
async function termsOfPolicies(
  transaction: ImportTransaction,
  importRows: readonly ImportRows["assignments"][],
  parents: readonly Parents<"assignments">[],
): Promise<Map<string, StoredPolicyTerms>> {
  const ids = new Set(
    importRows.flatMap((importRow, at) => {
      const { policyId, movesFrom } = parents[at]!;
      const isPlain = movesFrom === null && OWN_TERMS.every((term) => importRow[term] === null);
      return isPlain ? [] : [policyId ?? [], movesFrom ?? []].flat();
    }),
  );
  if (ids.size === 0) return new Map();
  const rows = await transaction.stored(
    "policies",
    [...ids].map((id) => [id]),
  );
  return new Map(rows.flatMap((row) => (row === null ? [] : [[row.id, storedTerms(row)] as const])));
}

/** Whether the same times and `dayMinutes` are stored: they stay when a time zone changes, so the row is as right as it was. */
function hasWrittenDays({ row, ...found }: ResolvedRow<"requests">): boolean {
  const stored = "stored" in found ? found.stored : null;
  if (row === null || stored === null) return false;
  return row.terms === stored.terms && row.startAtMs === stored.startAtMs && row.endAtMs === stored.endAtMs;
}

/** A day of `dayMinutes` that is none of the request's days, in whichever zone. */
function outsideProblem(
  outside: number,
  { firstDay, lastDay }: { readonly firstDay: number; readonly lastDay: number },
  zone: string,
): RowProblem {
  const range =
    firstDay === lastDay
      ? `is ${formatDay(firstDay)}`
      : `are ${formatDay(firstDay)} to ${formatDay(lastDay)}`;
  return {
    field: "dayMinutes",
    value: formatDay(outside),
    message: `is none of the request's days, which ${range} in ${zone}`,
  };
}

const MON_TO_FRI = 0b11111;

/** The amount of a request that has none: its working days times the hours of a day. */
function minutesOf(
  { hoursPerDay, workDays }: WorkPattern,
  { firstDay, lastDay }: { readonly firstDay: number; readonly lastDay: number },
): number {
  return Number(
    (countWorkDays(firstDay, lastDay, workDays ?? MON_TO_FRI) * hoursPerDay * 60).toPrecision(12),
  );
}

/** The ids of what a row belongs to, or what is wrong with its references. */
type Parents<K extends Kind> =
  | (ParentIds<K> & { readonly refused: null })
  | ({ readonly [C in keyof ParentIds<K>]: ParentIds<K>[C] | null } & { readonly refused: RefusedRow });

/** What each import row belongs to. */
async function parentsOf<K extends Kind>(
  kind: K,
  { references }: ResolverContext,
  importRows: readonly ImportRows[K][],
): Promise<Parents<K>[]> {
  const found = importRows.map(() => ({
    ids: {} as Record<string, string | null>,
    broken: [] as { problem: RowProblem; isRefused: boolean }[],
  }));
  for (const { column, field, parent } of PARENT_COLUMNS.filter((one) => one.kind === kind)) {
    const names = importRows.map((importRow) => (importRow as Readonly<Record<string, unknown>>)[field]);
    const named = names.flatMap((name, at) => (typeof name === "string" ? [{ name, at }] : [])); // a reference may be empty
    const resolved = await references.resolve(
      parent,
      named.map(({ name }) => name),
    );
    for (const one of found) one.ids[column] = null;
    for (const [index, { name, at }] of named.entries()) {
      const reference = resolved[index]!;
      found[at]!.ids[column] = reference.id;
      if (reference.id === null)
        found[at]!.broken.push({
          problem: referenceProblem(field, name, reference),
          isRefused: reference.isRefused,
        });
    }
  }
  return found.map(({ ids, broken }) => {
    // A reference to a refused row is reported only if nothing else is wrong with the row.
    const own = broken.filter(({ isRefused }) => !isRefused);
    const problems = (own.length > 0 ? own : broken).map(({ problem }) => problem);
    const refused = broken.length === 0 ? null : { row: null, problems, isOrphaned: own.length === 0 };
    return { ...ids, refused } as unknown as Parents<K>; // the columns of its references
  });
}

interface NamesType {
  readonly timeOffTypeId: string | null;
  readonly timeOffTypeName: string;
}

/**
 * Gives the id of each policy's type of time off, in order. A type's id never changes (docs/api.md, Identifiers): where it is left out it
 * is that of the policy as stored, else of another policy of these or of those stored whose type has this name, else minted from the
 * name. Where several ids have one name, the first in byte order is taken, so that order is no matter.
 */
function timeOffTypes({ companyId, transaction, isFresh }: ResolverContext) {
  let known: Map<string, string> | null = null;
  const readKnown = async () => {
    const ids = new Map<string, string>();
    if (isFresh) return ids;
    for await (const rows of transaction.scan("policies"))
      for (const row of rows) {
        const { timeOffTypeId, timeOffTypeName } = typeOf(row)!;
        keepFirst(ids, timeOffTypeName, timeOffTypeId);
      }
    return ids;
  };
  return async (
    importRows: readonly NamesType[],
    stored: readonly (Rows["policies"] | null)[],
  ): Promise<string[]> => {
    known ??= await readKnown();
    const given = new Map<string, string>();
    for (const { timeOffTypeId, timeOffTypeName } of importRows)
      if (timeOffTypeId !== null) keepFirst(given, timeOffTypeName, timeOffTypeId);
    return importRows.map(({ timeOffTypeId, timeOffTypeName: name }, at) => {
      if (timeOffTypeId !== null) return timeOffTypeId;
      const own = typeOf(stored[at] ?? null);
      if (own?.timeOffTypeName === name) return own.timeOffTypeId;
      return given.get(name) ?? known!.get(name) ?? mintedId(companyId, "timeOffTypes", name);
    });
  };
}

function typeOf(row: Rows["policies"] | null): Policy | null {
  return row === null ? null : (JSON.parse(row.doc) as Policy); // what an import wrote
}

function keepFirst(ids: Map<string, string>, name: string, id: string): void {
  const before = ids.get(name);
  if (before === undefined || id < before) ids.set(name, id);
}
