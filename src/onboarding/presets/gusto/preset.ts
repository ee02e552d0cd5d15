import { preset } from "../../preset.ts";
import assignments from "./assignments.sql" with { type: "text" };
import mapping from "./mapping.json" with { type: "json" };
import openings from "./openings.sql" with { type: "text" };
import policies from "./policies.sql" with { type: "text" };
import pull from "./pull.json" with { type: "json" };
import requests from "./requests.sql" with { type: "text" };
import workers from "./workers.sql" with { type: "text" };

export const gusto = preset({
  name: "gusto",
  system: "Gusto",
  files: "employees.json, time_off_policies.json, time_off_requests.json",
  version: "2026-06-15",
  checkedOn: "2026-11-26",
  untried: "whether a balance has lost approved leave that no payroll has paid yet",
  pull,
  mapping,
  queries: { assignments, openings, policies, requests, workers },
});
