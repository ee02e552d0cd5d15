// Personio, version 2: a token by a form; lists under _data, whose next page is an address.
import { Fake, type FakeOfPreset, json, sample, status } from "../../pull/fakes/fake.ts";

type Rows = Record<string, unknown>[];

export async function personioV2(given: Readonly<Record<string, Rows>> = {}): Promise<FakeOfPreset> {
  const lists: Record<string, Rows> = Object.fromEntries(
    ["persons", "employments", "absence-types", "absence-periods", "absence-breakdowns"].map((name) => [
      name,
      given[name] ?? sample("personio-v2", `${name}.json`)._data!,
    ]),
  );
  const fake: Fake = await Fake.start(({ path, query, headers, text }) => {
    if (path === "/v2/auth/token") {
      const form = new URLSearchParams(text);
      const isRight =
        form.get("grant_type") === "client_credentials" && form.get("client_secret") === "papi-secret";
      return isRight
        ? json({ access_token: "v2-token", token_type: "Bearer", expires_in: 86400 })
        : status(401);
    }
    if (headers.get("authorization") !== "Bearer v2-token") return status(401);
    const [, person] = /^\/v2\/persons\/([^/]+)\/employments$/.exec(path) ?? [];
    const [, period] = /^\/v2\/absence-periods\/([^/]+)\/breakdowns$/.exec(path) ?? [];
    const rows =
      period !== undefined
        ? lists["absence-breakdowns"]!.flatMap(({ period_id, ...one }) => (period_id === period ? [one] : []))
        : person === undefined
          ? lists[path.slice("/v2/".length)]
          : lists.employments!.flatMap(({ person_id, ...one }) => (person_id === person ? [one] : []));
    if (rows === undefined) return status(404, '{"errors":[{"title":"Not Found"}]}');
    const start = Number(query.get("cursor") ?? 0);
    const next =
      start + 1 < rows.length ? { next: { href: `${fake.url}${path}?limit=1&cursor=${start + 1}` } } : {};
    return json({ _data: rows.slice(start, start + 1), _meta: { links: next } });
  });
  return { fake, base: `${fake.url}/v2`, env: { PERSONIO_ID: "papi-id", PERSONIO_SECRET: "papi-secret" } };
}
