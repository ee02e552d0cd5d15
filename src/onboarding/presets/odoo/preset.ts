import { preset } from "../../preset.ts";
import adjustments from "./adjustments.sql" with { type: "text" };
import assignments from "./assignments.sql" with { type: "text" };
import mapping from "./mapping.json" with { type: "json" };
import policies from "./policies.sql" with { type: "text" };
import pull from "./pull.json" with { type: "json" };
import requests from "./requests.sql" with { type: "text" };
import stays from "./stays.sql" with { type: "text" };
import workers from "./workers.sql" with { type: "text" };

export const odoo = preset({
  name: "odoo",
  system: "Odoo",
  files: "employees.json, contracts.json, leave_types.json, allocations.json, leaves.json",
  version: "19.0",
  checkedOn: "2026-11-30",
  untried: null,
  pull,
  mapping,
  queries: { adjustments, assignments: stays + assignments, policies, requests, workers: stays + workers },
});
