// Odoo's JSON-2: every call is a POST of named arguments; what is empty is false; a field that is not there is an error.
import { Fake, type FakeOfPreset, json, sample, status } from "../../pull/fakes/fake.ts";

const FILES: Readonly<Record<string, string>> = {
  "hr.employee": "employees.json",
  "hr.version": "contracts.json",
  "hr.leave.type": "leave_types.json",
  "hr.leave.allocation": "allocations.json",
  "hr.leave": "leaves.json",
};

type Rows = Record<string, unknown>[];

export async function odoo(
  given: Readonly<Record<string, Rows | undefined>> = {},
  most = 500,
): Promise<FakeOfPreset> {
  const fake = await Fake.start(({ method, path, headers, json: body }) => {
    if (headers.get("authorization") !== "Bearer odoo-key") return status(401, '{"name":"Unauthorized"}');
    if (headers.get("x-odoo-database") !== "acme") return status(404);
    const file = FILES[/^\/json\/2\/([\w.]+)\/search_read$/.exec(path)?.[1] ?? ""];
    if (method !== "POST" || file === undefined || (file in given && given[file] === undefined))
      return status(404, '{"message":"the model does not exist"}');
    const {
      fields,
      limit,
      offset = 0,
      domain,
    } = body as { fields: string[]; limit: number; offset?: number; domain: [string, string, unknown][] };
    const behind = domain.find(([field, operator]) => field === "id" && operator === ">")?.[2] ?? 0;
    const all = given[file] ?? (sample("odoo", file) as Rows);
    const rows = all.filter(({ id }) => Number(id) > Number(behind));
    const unknown = fields.find((field) => all.length > 0 && all[0]![field] === undefined);
    if (unknown !== undefined) return status(422, `{"message":"Invalid field ${unknown}"}`);
    const page = rows.slice(offset, offset + Math.min(limit, most));
    return json(page.map((row) => Object.fromEntries(fields.map((field) => [field, row[field]]))));
  });
  return {
    fake,
    base: fake.url,
    env: { ODOO_URL: "https://acme.odoo.com", ODOO_DATABASE: "acme", ODOO_KEY: "odoo-key" },
  };
}
