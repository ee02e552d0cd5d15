// Factorial: a key in a header; opaque cursors, which are there on the last page, too.
import { Fake, type FakeOfPreset, json, sample, status } from "./fake.ts";

const LISTS: Readonly<Record<string, string>> = {
  "/resources/employees/employees": "employees.json",
  "/resources/contracts/contract_versions": "contract_versions.json",
  "/resources/timeoff/leaves": "leaves.json",
};

export async function factorial(): Promise<FakeOfPreset> {
  const fake = await Fake.start(({ path, query, headers }) => {
    if (headers.get("x-api-key") !== "factorial-key") return status(401);
    const file = LISTS[path];
    if (file === undefined) return status(404);
    const rows = sample("factorial", file).data!;
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
