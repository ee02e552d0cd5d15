import { preset } from "../../preset.ts";
import assignments from "./assignments.sql" with { type: "text" };
import mapping from "./mapping.json" with { type: "json" };
import policies from "./policies.sql" with { type: "text" };
import requests from "./requests.sql" with { type: "text" };
import workers from "./workers.sql" with { type: "text" };

export const sageHr = preset({
  name: "sage-hr",
  system: "Sage HR",
  files: "employees.json, terminated_employees.json, leave_policies.json, leave_requests.json",
  version: null,
  checkedOn: "2026-11-30",
  untried: "no fake of its API, and balances are not read",
  pull: null,
  mapping,
  queries: { assignments, policies, requests, workers },
});
