// By kind, how its rows are built.
import type { Kind } from "../../../resources/kinds.ts";
import { assignmentRules } from "./assignments.ts";
import { type KindRules, plainRules } from "./kind.ts";
import { departmentRules, holidayRules, openingRules, workplaceRules } from "./others.ts";
import { policyRules } from "./policies.ts";
import { requestRules } from "./requests.ts";
import { workerRules } from "./workers.ts";

export const KIND_RULES: { readonly [K in Kind]: KindRules<K> } = {
  departments: departmentRules,
  workplaces: workplaceRules,
  holidays: holidayRules,
  workers: workerRules,
  policies: policyRules,
  policy_changes: plainRules("policy_changes"),
  assignments: assignmentRules,
  requests: requestRules,
  adjustments: plainRules("adjustments"),
  work_hours: plainRules("work_hours"),
  openings: openingRules,
  schedules: plainRules("schedules"),
  reported: plainRules("reported"),
};
