import { preset } from "../../preset.ts";
import assignments from "./assignments.sql" with { type: "text" };
import mapping from "./mapping.json" with { type: "json" };
import policies from "./policies.sql" with { type: "text" };
import pull from "./pull.json" with { type: "json" };
import requests from "./requests.sql" with { type: "text" };
import stays from "./stays.sql" with { type: "text" };
import workers from "./workers.sql" with { type: "text" };

export const personioV2 = preset({
  name: "personio-v2",
  system: "Personio, version 2",
  files: "persons.json, employments.json, absence-types.json, absence-periods.json, absence-breakdowns.json",
  version: "v2",
  checkedOn: "2026-11-30",
  untried: null,
  pull,
  mapping,
  queries: { assignments: stays + assignments, policies, requests, workers: stays + workers },
});
