// The mappings that Rollcall brings along, one for each system whose exports are publicly described (docs/presets.md).
import bamboohr from "./bamboohr.json" with { type: "json" };
import factorial from "./factorial.json" with { type: "json" };
import gusto from "./gusto.json" with { type: "json" };
import hibob from "./hibob.json" with { type: "json" };
import personio from "./personio.json" with { type: "json" };
import sageHr from "./sage-hr.json" with { type: "json" };
import workday from "./workday.json" with { type: "json" };

interface Preset {
  readonly name: string;
  /** The system, as its vendor calls it. */
  readonly system: string;
  /** The files that it reads. */
  readonly files: string;
  readonly mapping: Readonly<Record<string, unknown>>;
}

export const PRESETS: readonly Preset[] = [
  {
    name: "bamboohr",
    system: "BambooHR",
    files: "employees.json (a report), time_off_requests.json",
    mapping: bamboohr,
  },
  {
    name: "factorial",
    system: "Factorial",
    files: "employees.json, contract_versions.json, leaves.json",
    mapping: factorial,
  },
  { name: "gusto", system: "Gusto", files: "employees.json, time_off_requests.json", mapping: gusto },
  { name: "hibob", system: "HiBob", files: "people.json, timeoff_changes.json", mapping: hibob },
  { name: "personio", system: "Personio", files: "employees.json, time-offs.json", mapping: personio },
  {
    name: "sage-hr",
    system: "Sage HR",
    files: "employees.json, leave_policies.json, leave_requests.json",
    mapping: sageHr,
  },
  { name: "workday", system: "Workday", files: "Workers.xlsx, Time_Off.xlsx (reports)", mapping: workday },
];
