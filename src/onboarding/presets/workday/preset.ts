import { preset } from "../../preset.ts";
import assignments from "./assignments.sql" with { type: "text" };
import mapping from "./mapping.json" with { type: "json" };
import policies from "./policies.sql" with { type: "text" };
import requests from "./requests.sql" with { type: "text" };
import workers from "./workers.sql" with { type: "text" };

export const workday = preset({
  name: "workday",
  system: "Workday",
  files: "Workers.xlsx, Time_Off.xlsx (reports)",
  version: null,
  checkedOn: "2026-11-30",
  untried: "no fake of its reports",
  pull: null,
  mapping,
  queries: { assignments, policies, requests, workers },
});
