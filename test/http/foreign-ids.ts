// Another company, whose ids acme does not have, and every path that can contain one of them.

import { claimedKind, ID_PREFIX, rowId } from "../../src/resources/ids.ts";
import { LIST_KINDS, LISTS as LISTS_OF_STORE, type ListKind } from "../../src/resources/kinds.ts";
import type { Filter } from "../../src/resources/resource.ts";
import {
  assignmentRow,
  departmentRow,
  type Facts,
  holidayRow,
  policyRow,
  requestRow,
  withOtherLists,
  workerRow,
  workplaceRow,
} from "../support/rows.ts";
import { exampleOf, LISTS, RETRIEVALS } from "./endpoints.ts";

/** Filters by texts of the source system: the rival's rows all have `L-m1`. */
const TEXT_FILTERS = LIST_KINDS.flatMap((kind) =>
  Object.entries<Filter>(LISTS_OF_STORE[kind].api.filters)
    .filter(([, { parameter }]) => parameter.isSplit === false)
    .map(([name, { column }]) => ({ kind, name, column })),
);

/** Each of its ids ends in `m1`. The same ids with `m2` do not exist; they have the same position in a list. */
export function rivalFacts(): Facts {
  const person = {
    displayName: "Max",
    firstName: "Max",
    legacyId: "L-m1",
    department: { id: "dpt_m1", name: "D-m1" },
    primaryWorkplace: { id: "wkp_m1", name: "W-m1", type: "office" as const },
    managerId: "wrk_m1",
  };
  const policy = policyRow("top_m1", { legacyId: "L-m1" });
  const address = "max@rival.example";
  const facts = {
    departments: [departmentRow("dpt_m1", { legacyId: "L-m1" })],
    workplaces: [workplaceRow("wkp_m1", { legacyId: "L-m1" })],
    holidays: [holidayRow("hol_m1", { calendarId: "hca_m1", legacyId: "L-m1" })],
    workers: [workerRow("wrk_m1", { ...person, email: address, workEmail: address })],
    policies: [
      { ...policy, terms: policy.terms.replace(/"carryoverLimitMinutes":null/, '"carryoverLimitMinutes":0') },
    ],
    assignments: [assignmentRow("toa_m1", "wrk_m1", "top_m1")],
    requests: [requestRow("tor_m1", "wrk_m1", "top_m1", { legacyId: "L-m1" })],
  };
  const all: Facts = withOtherLists(facts, ["m1"], "L-m1");
  const withTexts = LIST_KINDS.map((kind) => {
    const texts = TEXT_FILTERS.filter((filter) => filter.kind === kind).map(({ column }) => [column, "L-m1"]);
    return [kind, all[kind]!.map((row) => ({ ...row, ...Object.fromEntries(texts) }))];
  });
  return { ...all, ...Object.fromEntries(withTexts) };
}

const idOf = (kind: ListKind) => `${ID_PREFIX[LISTS_OF_STORE[kind].idKind]}m1`;

export const OF_THE_RIVAL: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(LIST_KINDS.map((kind) => [kind, [idOf(kind)]])),
  balances: ["tob_02m1m1", "wrk_m1"],
  days: ["tod_20260302_tor_m1"],
  movements: [rowId("movement", ["wrk_m1"])],
  expirations: [rowId("expiration", ["wrk_m1"])],
  capacity: [rowId("capacity", ["wrk_m1"])],
};

/** Its object of each retrieval. */
export const RIVAL_ID: Readonly<Record<string, string>> = {
  ...Object.fromEntries(LIST_KINDS.map((kind) => [LISTS_OF_STORE[kind].idKind, idOf(kind)])),
  balance: "tob_02m1m1",
  schedule: "wrk_m1",
};

/** The rival's values of the filters by texts and by ids. An example says of which kind the ids are. */
const BY_TEXT = TEXT_FILTERS.map(({ name }) => [name, "L-m1"]);
const BY_ID = LISTS.flatMap(({ contract }) =>
  Object.entries(contract.parameters).flatMap(([name, parameter]) => {
    const kind = parameter.kind === "list" ? claimedKind(exampleOf(parameter)) : null;
    return kind === null ? [] : [[name, `${ID_PREFIX[kind]}m1`]];
  }),
);

/** Values of the filters that name something of the rival. */
export const RIVAL_FILTERS: Readonly<Record<string, string>> = {
  workEmail: "max@rival.example",
  ...Object.fromEntries([...BY_TEXT, ...BY_ID]),
};

/** Paths that contain an id or an address of the rival. */
export function pathsToRival(): string[] {
  const retrievals = RETRIEVALS.map(({ at, name }) => at(RIVAL_ID[name]!));
  const lists = LISTS.flatMap(({ name, path, contract }) => {
    const cursors = OF_THE_RIVAL[name]!.flatMap((id) => [`afterId=${id}`, `beforeId=${id}`]);
    const filters = Object.entries(RIVAL_FILTERS)
      .filter(([parameter]) => Object.hasOwn(contract.parameters, parameter))
      .map(([parameter, value]) => `${parameter}=${value}`);
    return [...cursors, ...filters].map((query) => `${path}?${query}`);
  });
  return [...retrievals, ...lists];
}

/** The same path with an id that does not exist. */
export function toNobody(path: string): string {
  return path.replaceAll("m1", "m2").replaceAll("max@", "may@");
}
