// HiBob, by its OpenAPI: a service user by basic authentication; a search that is a POST and leaves out what the user may not see; changes
// between two moments that are at most six months apart, of which a later one counts. With `humanReadable: REPLACE`, "the dates will be
// rendered in the format of the calling user" (https://apidocs.hibob.com/docs/how-to-work-with-lists-public-api).
import { Fake, type FakeOfPreset, json, sample, status } from "../../pull/fakes/fake.ts";

type Rows = Record<string, unknown>[];

const SIX_MONTHS_MS = 184 * 86_400_000;

export async function hibob(
  people: Rows = sample("hibob", "people.json").employees!,
  changes: Rows = sample("hibob", "timeoff_changes.json").changes!,
): Promise<FakeOfPreset> {
  const now = Date.parse("2025-06-02");
  const fake = await Fake.start(({ method, path, query, headers, json: body }) => {
    if (headers.get("authorization") !== `Basic ${btoa("SERVICE-1:bob-token")}`) return status(401);
    if (method === "POST" && path === "/v1/people/search") {
      if (!Array.isArray(body.fields)) return status(400);
      const isReplaced = body.humanReadable === "REPLACE";
      const replaced = JSON.stringify(people).replaceAll(/(\d{4})-(\d\d)-(\d\d)/g, "$3/$2/$1");
      return json({ employees: isReplaced ? JSON.parse(replaced) : people });
    }
    if (path !== "/v1/timeoff/requests/changes") return status(404);
    const since = Date.parse(query.get("since") ?? "");
    const to = query.has("to") ? Date.parse(query.get("to")!) : now;
    if (!(to - since <= SIX_MONTHS_MS)) return status(400, '{"error":"the range is longer than 6 months"}');
    const at = ({ createdOn }: Rows[number]) => Date.parse(String(createdOn));
    return json({ changes: changes.filter((change) => at(change) >= since && at(change) <= to) });
  });
  return { fake, base: `${fake.url}/v1`, env: { HIBOB_SERVICE_USER: "SERVICE-1", HIBOB_TOKEN: "bob-token" } };
}
