// Gusto: a bearer token; pages by number, and lists without an object around them. The number of pages is in headers alone.
import { Fake, type FakeOfPreset, json, sample, status } from "../../pull/fakes/fake.ts";

export async function gusto(): Promise<FakeOfPreset> {
  const fake = await Fake.start(({ path, query, headers }) => {
    if (headers.get("authorization") !== "Bearer gusto-token") return status(401);
    if (headers.get("x-gusto-api-version") === null) return status(406);
    const name = /^\/v1\/companies\/acme\/(employees|time_off_policies|time_off_requests)$/.exec(path)?.[1];
    if (name === undefined) return status(404);
    const rows = sample("gusto", `${name}.json`) as Record<string, unknown>[];
    const page = Number(query.get("page") ?? 1);
    return json(rows.slice((page - 1) * 2, page * 2), {
      "x-page": String(page),
      "x-total-count": String(rows.length),
    });
  });
  return {
    fake,
    base: `${fake.url}/v1/companies/acme`,
    env: { GUSTO_COMPANY: "acme", GUSTO_TOKEN: "gusto-token" },
  };
}
