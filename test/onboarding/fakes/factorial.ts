// Factorial: a key in a header; opaque cursors, which are there on the last page, too. What is left is counted for the day that is asked
// for, which is part of the id. Two parameters of employees are required (factorialco/factorial-api-sdks, EmployeesEmployeeApi).
import { Fake, type FakeOfPreset, json, sample, status } from "../../pull/fakes/fake.ts";

const LISTS: Readonly<Record<string, string>> = {
  "/resources/employees/employees": "employees.json",
  "/resources/contracts/contract_versions": "contract_versions.json",
  "/resources/holidays/company_holidays": "company_holidays.json",
  "/resources/timeoff/leaves": "leaves.json",
  "/resources/timeoff/leave_types": "leave_types.json",
  "/resources/timeoff/allowances": "allowances.json",
  "/resources/timeoff/allowance_stats": "allowance_stats.json",
};

/** The rows of each file. */
export const factorialRows = () =>
  Object.fromEntries(Object.values(LISTS).map((file) => [file, sample("factorial", file).data!]));

export async function factorial(files = factorialRows()): Promise<FakeOfPreset> {
  const fake = await Fake.start(({ path, query, headers }) => {
    if (headers.get("x-api-key") !== "factorial-key") return status(401);
    const file = LISTS[path];
    if (file === undefined) return status(404);
    const isAsked = query.get("only_active") === "false" && query.get("only_managers") === "false";
    if (file === "employees.json" && !isAsked) return status(400, '{"errors":"only_active is missing"}');
    const day = query.get("reference_date") ?? "2025-01-01";
    const rows = JSON.parse(
      JSON.stringify(files[file]!).replaceAll(/(?<="\d+\/\d+\/)[^"]*/g, day),
    ) as object[];
    const start = query.has("after_id") ? Number(atob(query.get("after_id")!)) : 0;
    const page = rows.slice(start, start + 2);
    const end = start + page.length;
    const meta = {
      limit: 2,
      has_next_page: end < rows.length,
      has_previous_page: start > 0,
      end_cursor: btoa(String(end)),
    };
    return json({ data: page, meta });
  });
  return { fake, base: `${fake.url}/resources`, env: { FACTORIAL_KEY: "factorial-key" } };
}
