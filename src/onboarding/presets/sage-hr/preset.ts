import { preset } from "../../preset.ts";
import assignments from "./assignments.sql" with { type: "text" };
import mapping from "./mapping.json" with { type: "json" };
import policies from "./policies.sql" with { type: "text" };
import pull from "./pull.json" with { type: "json" };
import requests from "./requests.sql" with { type: "text" };
import workers from "./workers.sql" with { type: "text" };

/** The API tells requests of at most 64 days at once: those of two years before and after the pull are in windows of 60 days. */
const WINDOW_DAYS = 60;
const WINDOWS = 24;
const FIRST_DAY = -720;

const { "leave_requests.json": window, ...files } = pull.files;
const day = (offset: number) => `{today${offset < 0 ? offset : `+${offset}`}d}`;
const windows = Array.from({ length: WINDOWS }, (_, at) => {
  const from = FIRST_DAY + at * WINDOW_DAYS;
  const query = { from: day(from), to: day(from + WINDOW_DAYS - 1) };
  return [`leave_requests_${String(at + 1).padStart(2, "0")}.json`, { ...window, query }] as const;
});
const [firstName, first] = windows[0]!;
const complete = {
  requests: { startsOnOrAfter: day(FIRST_DAY) }, // the documents do not say whether longer ones come
  assignments: { startsOnOrAfter: day(FIRST_DAY) },
};

export const sageHr = preset({
  name: "sage-hr",
  system: "Sage HR",
  files: "employees.json, terminated_employees.json, leave_policies.json, leave_requests_01.json to _24.json",
  version: null,
  checkedOn: "2026-11-30",
  untried: "balances are not read",
  pull: { ...pull, files: { ...files, ...Object.fromEntries(windows), [firstName]: { ...first, complete } } },
  mapping,
  queries: { assignments, policies, requests, workers },
});
