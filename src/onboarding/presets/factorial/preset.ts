import { preset } from "../../preset.ts";
import assignments from "./assignments.sql" with { type: "text" };
import mapping from "./mapping.json" with { type: "json" };
import openings from "./openings.sql" with { type: "text" };
import pairs from "./pairs.sql" with { type: "text" };
import policies from "./policies.sql" with { type: "text" };
import pull from "./pull.json" with { type: "json" };
import requests from "./requests.sql" with { type: "text" };
import stays from "./stays.sql" with { type: "text" };
import workers from "./workers.sql" with { type: "text" };

export const factorial = preset({
  name: "factorial",
  system: "Factorial",
  files: "employees.json, contract_versions.json, leaves.json",
  version: "2026-10-01",
  checkedOn: "2026-11-30",
  untried:
    "that `working_hours` are hundredths, as people who use the API say; the form of `used_units_by_day`",
  pull,
  mapping,
  queries: {
    assignments: pairs + stays + assignments,
    openings: pairs + openings,
    policies: pairs + policies,
    requests,
    workers: pairs + stays + workers,
  },
});
