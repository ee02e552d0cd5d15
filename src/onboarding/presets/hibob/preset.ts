import { preset } from "../../preset.ts";
import assignments from "./assignments.sql" with { type: "text" };
import mapping from "./mapping.json" with { type: "json" };
import policies from "./policies.sql" with { type: "text" };
import pull from "./pull.json" with { type: "json" };
import requests from "./requests.sql" with { type: "text" };
import workers from "./workers.sql" with { type: "text" };

export const hibob = preset({
  name: "hibob",
  system: "HiBob",
  files: "people.json, timeoff_changes_1.json to _4.json",
  version: "v1",
  checkedOn: "2026-11-26",
  untried: null,
  pull,
  mapping,
  queries: { assignments, policies, requests, workers },
});
