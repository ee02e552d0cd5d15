// BambooHR: basic authentication with the key as the name; a report that is a POST; no pages. Too many requests get 503 or 429 with
// Retry-After, and requests for time off need a start and an end. Who begins later is left out unless the report says `onlyCurrent=false`, which
// also has what will be (`toCome`), in a row of its own. Balances come for one employee at a time, as texts, as of the day that
// was asked for, with two decimals unless `precision` asks for up to four; somebody without a policy has an empty list. A key without the right gets 403.
import { Fake, type FakeOfPreset, json, sample, status } from "../../pull/fakes/fake.ts";

export const bamboohrRows = () => ({
  employees: sample("bamboohr", "employees.json").employees!,
  requests: sample("bamboohr", "time_off_requests.json") as Record<string, unknown>[],
  balances: sample("bamboohr", "balances.json") as Record<string, unknown>[] | null,
});

/** `isBlind`: a field that the key may not see is left out, and not null. */
export async function bamboohr(rows = bamboohrRows(), isBlind = false): Promise<FakeOfPreset> {
  const isBusy = new Set([1, 3]);
  let count = 0;
  const fake = await Fake.start(({ method, path, query, headers, json: body }) => {
    if (headers.get("authorization") !== `Basic ${btoa("bamboo-secret:x")}`) return status(401);
    if (isBusy.has(count++)) return status(count === 2 ? 503 : 429, "", { "retry-after": "0" });
    if (method === "POST" && path === "/v1/reports/custom") {
      const fields = body.fields as string[];
      const isCurrent = ({ hireDate }: Record<string, unknown>) => String(hireDate) <= "2025-06-02";
      const all = rows.employees.flatMap(({ toCome, ...one }) =>
        toCome === undefined ? [one] : [one, { ...one, ...(toCome as object) }],
      );
      const isAll = query.get("onlyCurrent") === "false";
      const employees = isAll ? all : rows.employees.filter(isCurrent);
      return json({
        title: body.title,
        fields: fields.map((id) => ({ id, type: "text", name: id })),
        employees: employees.map((one) =>
          Object.fromEntries(
            fields.flatMap((id) => (isBlind && !(id in one) ? [] : [[id, one[id] ?? null]])),
          ),
        ),
      });
    }
    if (path === "/v1/time_off/requests") {
      const [start, end] = [query.get("start"), query.get("end")];
      if (start === null || end === null) return status(400, "start and end are required");
      return json(rows.requests.filter((one) => String(one.end) >= start && String(one.start) <= end));
    }
    const [, employee] = /^\/v1\/employees\/(\d+)\/time_off\/calculator$/.exec(path) ?? [];
    if (employee !== undefined) {
      if (rows.balances === null) return status(403, "");
      const own = rows.balances.filter(({ employeeId }) => employeeId === employee);
      const rounded = (balance: unknown) => Number(balance).toFixed(Number(query.get("precision") ?? 2));
      return json(
        own.map(({ employeeId: _, balance, ...one }) => ({
          ...one,
          balance: rounded(balance),
          end: query.get("end"),
        })),
      );
    }
    return status(404);
  });
  return { fake, base: `${fake.url}/v1`, env: { BAMBOOHR_COMPANY: "acme", BAMBOOHR_KEY: "bamboo-secret" } };
}
