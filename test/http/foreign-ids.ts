// Another company, whose ids acme does not have, and every path that can contain one of them.

import { ID_PREFIX, rowId } from "../../src/resources/ids.ts";
import { LIST_KINDS, LISTS as LISTS_OF_STORE, type ListKind } from "../../src/resources/kinds.ts";
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
import { LISTS, RETRIEVALS } from "./endpoints.ts";

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
  return withOtherLists(facts, ["m1"], "L-m1");
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

/** Values of the filters that name something of the rival. */
export const RIVAL_FILTERS = {
  calendarIds: "hca_m1",
  workerIds: "wrk_m1",
  policyIds: "top_m1",
  workEmail: "max@rival.example",
  managerIds: "wrk_m1",
  legacyIds: "L-m1",
  departmentIds: "dpt_m1",
  workplaceIds: "wkp_m1",
} as const;

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
