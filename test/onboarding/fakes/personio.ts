// Personio, version 1: a token that expires in the middle; employees and absences in hours whose offset counts rows, absences in days whose
// offset counts pages; a short last page. Balances come for one person at a time, without the person and the day.
import { Fake, type FakeOfPreset, json, sample, status } from "../../pull/fakes/fake.ts";

interface PersonioRows {
  readonly employees: Record<string, unknown>[];
  readonly timeOffs: Record<string, unknown>[];
  readonly balances: Record<string, unknown>[];
  readonly periods?: Record<string, unknown>[];
}

export async function personio(
  rows: PersonioRows = {
    employees: sample("personio", "employees.json").data!,
    timeOffs: sample("personio", "time-offs.json").data!,
    balances: sample("personio", "balances.json").data!,
    periods: sample("personio", "absence-periods.json").data!,
  },
): Promise<FakeOfPreset> {
  let token = 0;
  let uses = 0;
  const fake = await Fake.start(({ method, path, query, headers, json: body }) => {
    if (method === "POST" && path === "/v1/auth") {
      if (body.client_id !== "papi-id" || body.client_secret !== "papi-secret")
        return status(403, '{"success":false,"error":{"message":"Wrong credentials"}}');
      uses = 0;
      return json({ success: true, data: { token: `papi-token-${++token}` } });
    }
    if (headers.get("authorization") !== `Bearer papi-token-${token}` || ++uses > 2) return status(401);
    const [, employee] = /^\/v1\/company\/employees\/(\d+)\/absences\/balance$/.exec(path) ?? [];
    if (employee !== undefined) {
      const own = rows.balances.filter(({ employee_id }) => employee_id === employee);
      return json({ success: true, data: own.map(({ employee_id: _, date: __, ...one }) => one) });
    }
    const isTimeOffs = path === "/v1/company/time-offs";
    const lists: Record<string, Record<string, unknown>[]> = {
      "/v1/company/employees": rows.employees,
      "/v1/company/time-offs": rows.timeOffs,
      "/v1/company/absence-periods": rows.periods ?? [],
    };
    const list = lists[path];
    if (list === undefined) return status(404);
    const limit = Math.min(Number(query.get("limit") ?? 200), 2); // more rows a page need more people in the sample
    const offset = Number(query.get("offset") ?? 0);
    const start = isTimeOffs ? Math.max(0, offset - 1) * limit : offset;
    const metadata = {
      total_elements: list.length,
      current_page: 0,
      total_pages: Math.ceil(list.length / limit),
    };
    return json({ success: true, metadata, data: list.slice(start, start + limit), offset, limit });
  });
  return { fake, base: `${fake.url}/v1`, env: { PERSONIO_ID: "papi-id", PERSONIO_SECRET: "papi-secret" } };
}
