import { preset } from "../../preset.ts";
import assignments from "./assignments.sql" with { type: "text" };
import departments from "./departments.sql" with { type: "text" };
import holidays from "./holidays.sql" with { type: "text" };
import mapping from "./mapping.json" with { type: "json" };
import openings from "./openings.sql" with { type: "text" };
import policies from "./policies.sql" with { type: "text" };
import pull from "./pull.json" with { type: "json" };
import requests from "./requests.sql" with { type: "text" };
import workers from "./workers.sql" with { type: "text" };
import workplaces from "./workplaces.sql" with { type: "text" };

export const warp = preset({
  name: "warp",
  system: "Warp, or another Rollcall",
  files:
    "workers.json, time_off_policies.json, time_off_assignments.json, time_off_requests.json, time_off_balances.json",
  version: "v1",
  checkedOn: "2026-11-30",
  untried: null,
  pull,
  mapping,
  queries: { assignments, departments, holidays, openings, policies, requests, workers, workplaces },
});
