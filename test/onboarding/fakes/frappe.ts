// Frappe: a token of two parts in a header; fields and filters as JSON in the query; twenty rows a page unless more are asked for.
import { Fake, type FakeOfPreset, json, sample, status } from "../../pull/fakes/fake.ts";

const FILES: Readonly<Record<string, string>> = {
  Employee: "employees.json",
  "Leave Type": "leave_types.json",
  "Leave Application": "leave_applications.json",
  "Leave Ledger Entry": "leave_ledger.json",
};

type Rows = Record<string, unknown>[];

/** `hidden`: fields above the permission level of the user, which Frappe leaves out without a word. */
export async function frappe(
  given: Readonly<Record<string, Rows>> = {},
  most = 500,
  hidden: readonly string[] = [],
): Promise<FakeOfPreset> {
  const fake = await Fake.start(({ path, query, headers }) => {
    if (headers.get("authorization") !== "token frappe-key:frappe-secret")
      return status(403, '{"exc_type":"PermissionError"}');
    const file = FILES[decodeURIComponent(path.replace("/api/resource/", ""))];
    if (file === undefined) return status(404);
    const asked = JSON.parse(query.get("fields") ?? '["name"]') as string[];
    const fields = asked.filter((field) => !hidden.includes(field));
    const start = Number(query.get("limit_start") ?? 0);
    const filters = JSON.parse(query.get("filters") ?? "[]") as [string, string, string | number][];
    const behind = filters.find(([field, operator]) => field === "name" && operator === ">")?.[2] ?? "";
    const rows = (given[file] ?? sample("frappe", file).data!)
      .filter(({ name }) => String(name) > String(behind))
      .toSorted((one, other) => (String(one.name) < String(other.name) ? -1 : 1))
      .slice(start, start + Math.min(most, Number(query.get("limit_page_length") ?? 20)));
    return json({
      data: rows.map((row) => Object.fromEntries(fields.map((field) => [field, row[field] ?? null]))),
    });
  });
  const env = {
    FRAPPE_URL: "https://hr.example.com",
    FRAPPE_KEY: "frappe-key",
    FRAPPE_SECRET: "frappe-secret",
  };
  return { fake, base: fake.url, env };
}
