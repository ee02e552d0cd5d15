import { preset } from "../../preset.ts";
import assignments from "./assignments.sql" with { type: "text" };
import mapping from "./mapping.json" with { type: "json" };
import policies from "./policies.sql" with { type: "text" };
import pull from "./pull.json" with { type: "json" };
import requests from "./requests.sql" with { type: "text" };
import workers from "./workers.sql" with { type: "text" };

/** The changes of two years. A response tells those of six months at most, and those of 30 days of a big company fit into its 8 MB. */
const WINDOW_DAYS = 30;
const WINDOWS = 24;
const FIRST_DAY = -WINDOWS * WINDOW_DAYS;

const { "timeoff_changes.json": window, ...files } = pull.files;
const midnight = (at: number) => `{today${FIRST_DAY + at * WINDOW_DAYS}d}T00:00:00Z`;
const windows = Array.from({ length: WINDOWS }, (_, at) => {
  const to = at === WINDOWS - 1 ? {} : { to: midnight(at + 1) }; // the last one has what was changed just now
  const query = { since: midnight(at), ...to, includePending: true };
  return [`timeoff_changes_${String(at + 1).padStart(2, "0")}.json`, { ...window, query }] as const;
});
const [firstName, first] = windows[0]!;
const updatedSince = `{today${FIRST_DAY}d}`;
const complete = { requests: { updatedSince }, assignments: { updatedSince }, policies: { updatedSince } };

export const hibob = preset({
  name: "hibob",
  system: "HiBob",
  files: `people.json, timeoff_changes_01.json to _${WINDOWS}.json`,
  version: "v1",
  checkedOn: "2026-11-30",
  untried: null,
  pull: { ...pull, files: { ...files, ...Object.fromEntries(windows), [firstName]: { ...first, complete } } },
  mapping,
  queries: { assignments, policies, requests, workers },
});
