import { preset } from "../../preset.ts";
import assignments from "./assignments.sql" with { type: "text" };
import mapping from "./mapping.json" with { type: "json" };
import openings from "./openings.sql" with { type: "text" };
import pairs from "./pairs.sql" with { type: "text" };
import policies from "./policies.sql" with { type: "text" };
import pull from "./pull.json" with { type: "json" };
import requests from "./requests.sql" with { type: "text" };
import staff from "./staff.sql" with { type: "text" };
import workers from "./workers.sql" with { type: "text" };

export const bamboohr = preset({
  name: "bamboohr",
  system: "BambooHR",
  files: "employees.json (a report), time_off_requests_01.json to _16.json",
  version: "v1",
  checkedOn: "2026-11-30",
  untried: null,
  pull,
  mapping,
  queries: {
    assignments: staff + pairs + assignments,
    openings: staff + pairs + openings,
    policies: staff + pairs + policies,
    requests: staff + pairs + requests,
    workers: staff + workers,
  },
});
