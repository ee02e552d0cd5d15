import { preset } from "../../preset.ts";
import departments from "./departments.sql" with { type: "text" };
import holidays from "./holidays.sql" with { type: "text" };
import mapping from "./mapping.json" with { type: "json" };
import policies from "./policies.sql" with { type: "text" };
import pull from "./pull.json" with { type: "json" };
import workers from "./workers.sql" with { type: "text" };
import workplaces from "./workplaces.sql" with { type: "text" };

export const warp = preset({
  name: "warp",
  system: "Warp, or another Rollcall",
  files: "workers.json, time_off_policies.json, time_off_assignments.json, time_off_requests.json",
  version: "v1",
  checkedOn: "2026-11-25",
  checkedAgainst: "documents",
  pull,
  mapping,
  queries: { departments, holidays, policies, workers, workplaces },
});
