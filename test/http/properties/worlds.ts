// Companies whose rows are numbered slots. Each slot is absent or in one of a few variants, so a test can change rows and
// still compute, without the store, what every list must contain.
import type { IdKind } from "../../../src/resources/ids.ts";
import type { Kind, Rows } from "../../../src/store/tables.ts";
import { assignmentRow, type Facts, policyRow, requestRow, workerRow } from "../../support/rows.ts";

export const VARIANTS = 6;

/** In byte order, which differs from the order of every language. */
const OPAQUES = ["-", "0", "9-", "A", "Aa", "Z", "_", "_a", "a", "a-", "aA", "aa", "z", "zz"];
export const SLOTS = OPAQUES.length * 2;

export const WORKER_IDS = OPAQUES.slice(0, 7).map((opaque) => `wrk_${opaque}`);
export const POLICY_IDS = ["top_B", "top_a", "top_b-"];

/** Groups of addresses that differ only in case and composition. */
export const EMAIL_GROUPS: readonly (readonly string[])[] = [
  ["ana+x@example.com", "ANA+X@EXAMPLE.COM", "Ana+x@Example.com"],
  ["İsmail@example.com", "i̇smail@EXAMPLE.com", "I\u0307SMAIL@example.com"],
  ["ismail@example.com", "ISMAIL@example.com"],
  ["straße@example.com", "STRAẞE@example.com", "Straße@Example.Com"],
  ["strasse@example.com", "STRASSE@example.com"],
  ["μαριος.βας@example.gr", "ΜΑΡΙΟΣ.ΒΑΣ@EXAMPLE.GR", "μαριοσ.βασ@example.gr"],
  ["françois@пример.рф", "FRANÇOIS@ПРИМЕР.РФ", "franc\u0327ois@Пример.рф"],
];

const opaqueOf = (slot: number) => OPAQUES[slot % OPAQUES.length]! + (slot < OPAQUES.length ? "" : "0");
const pick = <T>(values: readonly T[], number: number): T => values[number % values.length]!;

export interface Doc {
  readonly id: string;
  readonly [key: string]: unknown;
}

export interface World {
  readonly name: string;
  readonly path: string;
  /** The kind of the listed objects' ids. */
  readonly idKind: IdKind;
  readonly kind: Kind;
  /** Rows that the slots refer to. */
  readonly parents: Facts;
  row(slot: number, variant: number): Rows[Kind];
  key(slot: number): readonly string[];
  /** The wire object of a row, or the keys of it that identify it: all that a balance has here. */
  doc(slot: number, variant: number): Doc;
  readonly filters: readonly string[];
  compare(left: Doc, right: Doc): number;
}

const byId = (left: Doc, right: Doc) => (left.id < right.id ? -1 : left.id > right.id ? 1 : 0);
const parsed = (row: { doc: string }) => JSON.parse(row.doc) as Doc; // written by the fixtures

const departmentOf = (at: number) => pick(["Sales, EU", "R&D", null], at);
const managerOf = (at: number) => pick([null, ...WORKER_IDS], at * 3);

/** The object of a worker that requests, balances and assignments belong to. */
export function ownerOf(workerId: unknown): Doc {
  const at = WORKER_IDS.indexOf(String(workerId));
  return parsed(workerRow(WORKER_IDS[at]!, { department: departmentOf(at), managerId: managerOf(at) }));
}

const parents: Facts = {
  workers: WORKER_IDS.map((id, at) =>
    workerRow(id, { department: departmentOf(at), managerId: managerOf(at) }),
  ),
  policies: POLICY_IDS.map((id) => policyRow(id)),
};

function worker(slot: number, variant: number): Rows["workers"] {
  const group = EMAIL_GROUPS[(slot + variant) % (EMAIL_GROUPS.length + 1)];
  return workerRow(`wrk_${opaqueOf(slot)}`, {
    status: pick(["active", "inactive", "onboarding", "offboarding"] as const, slot + variant),
    type: pick(["employee", "contractor"] as const, variant),
    position: `variant ${variant}`,
    workEmail: group === undefined ? null : pick(group, slot),
    legacyId: pick([null, `E${slot}, new`, `E${slot}`], slot + variant),
    department: pick([null, "Sales, EU", "R&D"], variant),
    location: pick([null, "Lisbon", "Zürich"], slot + variant),
    managerId: pick([null, ...WORKER_IDS], slot + variant),
  });
}

function policy(slot: number, variant: number): Rows["policies"] {
  const legacyId = pick([null, `E${slot}`], slot + variant);
  return policyRow(`top_${opaqueOf(slot)}`, { name: `variant ${variant}`, legacyId });
}

function request(slot: number, variant: number): Rows["requests"] {
  const startAtMs = Date.parse("2026-03-01T00:00:00Z") + ((slot * 7 + variant * 5) % 11) * 43_200_000;
  return requestRow(
    `${pick(["tor_", "", "R-"], slot)}${opaqueOf(slot)}`,
    pick(WORKER_IDS, slot + variant),
    pick(POLICY_IDS, variant),
    {
      startAt: new Date(startAtMs).toISOString(),
      endAt: new Date(startAtMs + (variant % 3) * 86_400_000).toISOString(),
      status: pick(["approved", "pending", "denied"] as const, slot + variant),
      reason: `variant ${variant}`,
      legacyId: pick([null, `R${slot}`], slot + variant),
    },
  );
}

const pairOf = (slot: number) =>
  [pick(WORKER_IDS, slot), pick(POLICY_IDS, Math.floor(slot / WORKER_IDS.length))] as const;

/** One slot for each pair of worker and policy. An assignment never changes its pair or its id. */
export const PAIRS = WORKER_IDS.length * POLICY_IDS.length;

function assignment(slot: number, variant: number): Rows["assignments"] {
  const [workerId, policyId] = pairOf(slot);
  return assignmentRow(`toa_${opaqueOf(slot)}`, workerId, policyId, `2026-01-0${variant + 1}T00:00:00.000Z`);
}

function balance(slot: number): Doc {
  const [workerId, policyId] = pairOf(slot);
  const opaque = workerId.slice(4);
  return { id: `tob_0${opaque.length}${opaque}${policyId.slice(4)}`, workerId, policyId };
}

const byPair = (left: Doc, right: Doc) =>
  byId({ id: String(left.workerId) }, { id: String(right.workerId) }) ||
  byId({ id: String(left.policyId) }, { id: String(right.policyId) });

const ofPair = {
  kind: "assignments",
  parents,
  row: assignment,
  key: pairOf,
  filters: ["policyIds", "workerIds", "departmentIds", "managerIds"],
} as const;

export const WORLDS: readonly World[] = [
  {
    name: "workers",
    path: "/v1/workers",
    idKind: "worker",
    kind: "workers",
    parents: {},
    row: worker,
    key: (slot) => [`wrk_${opaqueOf(slot)}`],
    doc: (slot, variant) => parsed(worker(slot, variant)),
    filters: ["statuses", "types", "workEmail", "legacyIds", "departmentIds", "workplaceIds", "managerIds"],
    compare: byId,
  },
  {
    name: "policies",
    path: "/v1/time_off/policies",
    idKind: "policy",
    kind: "policies",
    parents: {},
    row: policy,
    key: (slot) => [`top_${opaqueOf(slot)}`],
    doc: (slot, variant) => parsed(policy(slot, variant)),
    filters: ["legacyIds"],
    compare: byId,
  },
  {
    name: "requests",
    path: "/v1/time_off/requests",
    idKind: "request",
    kind: "requests",
    parents,
    row: request,
    key: (slot) => [request(slot, 0).id],
    doc: (slot, variant) => parsed(request(slot, variant)),
    filters: [
      "policyIds",
      "workerIds",
      "statuses",
      "legacyIds",
      "startsBefore",
      "startsOnOrAfter",
      "endsBefore",
      "endsOnOrAfter",
      "departmentIds",
      "managerIds",
    ],
    compare: byId,
  },
  {
    ...ofPair,
    name: "balances",
    path: "/v1/time_off/balances",
    idKind: "balance",
    doc: balance,
    compare: byPair,
  },
  {
    ...ofPair,
    name: "assignments",
    path: "/v1/time_off/assignments",
    idKind: "assignment",
    doc: (slot, variant) => parsed(assignment(slot, variant)),
    compare: byId,
  },
];

export const slotsOf = (world: World) => (world.kind === "assignments" ? PAIRS : SLOTS);
