// Sage HR, by its OpenAPI: a key in a header, pages of 50 that say how many rows there are, leavers in a list of their own, and requests of at most
// 64 days, which are those of the current month if none are named.
import { Fake, type FakeOfPreset, json, sample, status } from "../../pull/fakes/fake.ts";

type Rows = Record<string, unknown>[];

const DAY_MS = 86_400_000;
const MOST_DAYS = 64;

export async function sageHr(
  given: Readonly<Record<string, Rows>> = {},
  perPage = 50,
): Promise<FakeOfPreset> {
  const rowsOf = (file: string): Rows => given[file] ?? sample("sage-hr", file).data!;
  const paged = (rows: Rows, page: number) =>
    json({
      data: rows.slice((page - 1) * perPage, page * perPage),
      meta: {
        current_page: page,
        next_page: page * perPage < rows.length ? page + 1 : null,
        total_pages: Math.max(1, Math.ceil(rows.length / perPage)),
        per_page: perPage,
        total_entries: rows.length,
      },
    });
  const fake = await Fake.start(({ path, query, headers }) => {
    if (headers.get("x-auth-token") !== "sage-key") return status(401, '{"error":"Unauthorized"}');
    const page = Number(query.get("page") ?? 1);
    if (path === "/api/employees") return paged(rowsOf("employees.json"), page);
    if (path === "/api/terminated-employees") return paged(rowsOf("terminated_employees.json"), page);
    if (path === "/api/leave-management/policies") return json({ data: rowsOf("leave_policies.json") });
    if (path !== "/api/leave-management/requests") return status(404);
    const [from = "2025-06-01", to = "2025-06-30"] = [
      query.get("from") ?? undefined,
      query.get("to") ?? undefined,
    ];
    if (Date.parse(to) - Date.parse(from) > MOST_DAYS * DAY_MS)
      return status(400, '{"error":"64 days at most"}');
    const asked = rowsOf("leave_requests.json").filter(
      ({ start_date, end_date }) => String(end_date) >= from && String(start_date) <= to,
    );
    return paged(asked, page);
  });
  return { fake, base: `${fake.url}/api`, env: { SAGE_HR_COMPANY: "acme", SAGE_HR_TOKEN: "sage-key" } };
}
