// HiBob: a service user by basic authentication; a search that is a POST; changes of at most six months, of which a later one counts.
import { Fake, type FakeOfPreset, json, sample, status } from "../../pull/fakes/fake.ts";

const SIX_MONTHS_MS = 184 * 86_400_000;

export async function hibob(): Promise<FakeOfPreset> {
  const changes = sample("hibob", "timeoff_changes.json").changes!;
  const now = Date.parse("2025-06-01");
  const fake = await Fake.start(({ method, path, query, headers, json: body }) => {
    if (headers.get("authorization") !== `Basic ${btoa("SERVICE-1:bob-token")}`) return status(401);
    if (method === "POST" && path === "/v1/people/search")
      return Array.isArray(body.fields) ? json(sample("hibob", "people.json")) : status(400);
    if (path !== "/v1/timeoff/requests/changes") return status(404);
    const since = Date.parse(query.get("since") ?? "");
    if (!(now - since <= SIX_MONTHS_MS)) return status(400, '{"error":"since is more than 6 months ago"}');
    return json({ changes: changes.filter(({ createdOn }) => Date.parse(String(createdOn)) >= since) });
  });
  return { fake, base: `${fake.url}/v1`, env: { HIBOB_SERVICE_USER: "SERVICE-1", HIBOB_TOKEN: "bob-token" } };
}
