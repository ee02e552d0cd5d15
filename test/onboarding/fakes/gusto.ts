// Gusto, by its documents of version 2026-06-15: a bearer token; employees in pages, policies and requests whole whatever is asked for.
// Requests have days, and neither a start nor an end. A version that was retired gets 406.
import { Fake, type FakeOfPreset, json, sample, status } from "../../pull/fakes/fake.ts";

type Rows = Record<string, unknown>[];

export async function gusto(given: Readonly<Record<string, Rows>> = {}): Promise<FakeOfPreset> {
  const fake = await Fake.start(({ path, query, headers }) => {
    if (headers.get("authorization") !== "Bearer gusto-token") return status(401);
    if ((headers.get("x-gusto-api-version") ?? "") < "2026-06-15")
      return status(406, '{"errors":[{"category":"invalid_api_version"}]}');
    const name = /^\/v1\/companies\/acme\/(employees|time_off_policies|time_off_requests)$/.exec(path)?.[1];
    if (name === undefined) return status(404);
    const rows = given[name] ?? (sample("gusto", `${name}.json`) as Rows);
    if (name !== "employees") return json(rows);
    const [page, per] = [Number(query.get("page") ?? 1), Math.min(Number(query.get("per") ?? 25), 100)];
    return json(rows.slice((page - 1) * per, page * per));
  });
  return {
    fake,
    base: `${fake.url}/v1/companies/acme`,
    env: { GUSTO_COMPANY: "acme", GUSTO_TOKEN: "gusto-token" },
  };
}
