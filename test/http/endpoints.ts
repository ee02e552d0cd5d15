// All endpoints of the contract, for the tests of rules that they share.
import { z } from "zod";
import { listBalances, retrieveBalance } from "../../src/resources/balances.ts";
import { listCapacity } from "../../src/resources/capacity.ts";
import { listChanges } from "../../src/resources/changes.ts";
import { listCloseDifferences, listCloses, retrieveClose } from "../../src/resources/closes.ts";
import { retrieveCompany } from "../../src/resources/company.ts";
import { listDays } from "../../src/resources/days.ts";
import { ENDPOINTS as CONTRACTS } from "../../src/resources/endpoints.ts";
import { ID_PREFIX, type IdKind, isId } from "../../src/resources/ids.ts";
import { LIST_KINDS, type ListKind, LISTS as STORED } from "../../src/resources/kinds.ts";
import { listExpirations, listMovements } from "../../src/resources/movements.ts";
import { previewLeave } from "../../src/resources/preview.ts";
import type { Parameter } from "../../src/resources/query.ts";
import type { EndpointContract, ListContract, RetrieveContract } from "../../src/resources/resource.ts";
import { retrieveSchedule } from "../../src/resources/schedules.ts";
import { sampleFacts } from "../support/rows.ts";

export interface ListCase {
  readonly name: string;
  readonly contract: ListContract;
  readonly path: string;
  /** Whether its rows are made of several balances, or of few: test/http/routes/movements and capacity page through them. */
  readonly isOfBalances: boolean;
  /** A well-formed id of the listed kind that does not exist. */
  readonly absentId: string;
  /** Ids of other kinds, which are not cursors of this list. */
  readonly wrongKindIds: readonly string[];
}

/** An id of each kind that does not exist. */
const absentId = (kind: IdKind) =>
  kind === "balance"
    ? "tob_06absentannual"
    : kind === "day"
      ? "tod_20260302_absent"
      : `${ID_PREFIX[kind]}absent`;

const OF_BALANCES: ReadonlySet<IdKind> = new Set(["movement", "expiration", "capacity"]);

/** Kinds whose prefix an id that was made elsewhere must not have: those of 1.0, and no later one. */
const RESERVED: ReadonlySet<string> = new Set<IdKind>([
  ...(["worker", "policy", "timeOffType", "request", "assignment", "balance"] as const),
  ...(["department", "workplace", "day", "holiday", "holidayCalendar"] as const),
]);

/** Of every other kind; and where ids of the own kind have its prefix, one without. */
function wrongKindIds(own: IdKind): readonly string[] {
  const others = Object.entries(ID_PREFIX).flatMap(([kind, prefix]) =>
    kind === own || (own === "balance" && kind === "worker") || (isId(own, "E00042") && !RESERVED.has(kind))
      ? []
      : kind === "balance"
        ? "tob_01aa"
        : `${prefix}a`,
  );
  const ofDay = ["tod_20260230_tor_a", "tod_2026032_tor_a", "tod_20260302_", "tod_20260302_wrk_a"];
  const malformed =
    own === "balance" ? ["tob_aa", "tob_00aa", "tob_99aa", "tob_02aa"] : own === "day" ? ofDay : [];
  return [...others, ...malformed, ...(isId(own, "E00042") ? [] : ["E00042"])];
}

export const LISTS: readonly ListCase[] = [
  ...LIST_KINDS.map((kind) => ({ name: kind, idKind: STORED[kind].idKind, contract: CONTRACTS[kind].list })),
  { name: "balances", idKind: "balance" as const, contract: listBalances },
  { name: "days", idKind: "day" as const, contract: listDays },
  { name: "movements", idKind: "movement" as const, contract: listMovements },
  { name: "expirations", idKind: "expiration" as const, contract: listExpirations },
  { name: "capacity", idKind: "capacity" as const, contract: listCapacity },
].map(({ name, idKind, contract }) => ({
  name,
  contract,
  path: contract.path,
  isOfBalances: OF_BALANCES.has(idKind),
  absentId: absentId(idKind),
  wrongKindIds: wrongKindIds(idKind),
}));

export interface RetrievalCase {
  readonly name: string;
  readonly contract: RetrieveContract;
  /** Of an object that every sample company has. */
  readonly id: string;
  readonly absentId: string;
  readonly at: (id: string) => string;
}

function sampleId(kind: ListKind): string {
  const [row] = sampleFacts()[kind] ?? [];
  if (row === undefined)
    throw new Error(`sampleFacts in test/support/rows.ts has no row of ${kind}: add one`);
  return row.id;
}

/** An object of each kind that every sample company has. */
const SAMPLE_ID = new Map<IdKind, string>([
  ...LIST_KINDS.map((kind) => [STORED[kind].idKind, sampleId(kind)] as const),
  ["balance", "tob_03anaannual"],
]);

export const RETRIEVALS: readonly RetrievalCase[] = [
  ...LIST_KINDS.flatMap((kind) => CONTRACTS[kind].retrieve ?? []),
  retrieveBalance,
  retrieveSchedule,
].map((contract) => ({
  name: contract === retrieveSchedule ? "schedule" : contract.idKind,
  contract,
  id: SAMPLE_ID.get(contract.idKind)!, // every list has a sample
  absentId: absentId(contract.idKind),
  at: (id: string) => contract.path.replace("{id}", () => id),
}));

/** Endpoints of closes, which no sample company has: test/http/routes/closes makes one. */
export const OF_CLOSES: readonly { readonly contract: EndpointContract }[] = [
  { contract: listCloses },
  { contract: retrieveClose },
  { contract: listCloseDifferences },
];

/** A path of each endpoint that returns 200 for the sample company. */
export const ENDPOINTS: readonly {
  readonly name: string;
  readonly contract: EndpointContract;
  readonly path: string;
}[] = [
  { name: "company", contract: retrieveCompany, path: retrieveCompany.path },
  {
    name: "preview",
    contract: previewLeave,
    path: `${previewLeave.path}?workerId=wrk_ana&policyId=top_annual&startAt=2026-08-03`,
  },
  { name: "changes", contract: listChanges, path: listChanges.path },
  ...LISTS,
  ...RETRIEVALS.map((one) => ({ ...one, path: one.at(one.id) })),
];

/** The example of a parameter that takes a text, or texts. */
export function exampleOf({ schema }: Parameter): string {
  const element = schema instanceof z.ZodArray ? (schema.element as z.ZodType) : schema; // its elements are schemas
  const example = element.meta()?.example;
  if (typeof example !== "string") throw new Error("the parameter has no example");
  return example;
}
