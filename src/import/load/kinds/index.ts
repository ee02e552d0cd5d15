// How the rows of each kind are built.
import { KINDS, type Kind } from "../../../resources/kinds.ts";
import { assignmentRules } from "./assignments.ts";
import { type KindRules, plainRules } from "./kind.ts";
import { departmentRules, holidayRules, openingRules, workplaceRules } from "./others.ts";
import { policyRules } from "./policies.ts";
import { requestRules } from "./requests.ts";
import { workerRules } from "./workers.ts";

const OWN: { readonly [K in Kind]?: KindRules<K> } = {
  departments: departmentRules,
  workplaces: workplaceRules,
  holidays: holidayRules,
  workers: workerRules,
  policies: policyRules,
  assignments: assignmentRules,
  requests: requestRules,
  openings: openingRules,
};

export const KIND_RULES = Object.fromEntries(KINDS.map((kind) => [kind, OWN[kind] ?? plainRules(kind)])) as {
  readonly [K in Kind]: KindRules<K>;
}; // one entry per kind
