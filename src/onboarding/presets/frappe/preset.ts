import { preset } from "../../preset.ts";
import adjustments from "./adjustments.sql" with { type: "text" };
import assignments from "./assignments.sql" with { type: "text" };
import mapping from "./mapping.json" with { type: "json" };
import policies from "./policies.sql" with { type: "text" };
import pull from "./pull.json" with { type: "json" };
import requests from "./requests.sql" with { type: "text" };
import workers from "./workers.sql" with { type: "text" };

export const frappe = preset({
  name: "frappe",
  system: "Frappe HR",
  files: "employees.json, leave_types.json, leave_applications.json, leave_ledger.json",
  version: null,
  checkedOn: "2026-11-30",
  untried: null,
  pull,
  mapping,
  queries: { adjustments, assignments, policies, requests, workers },
});
