// Warp, by its published interface of 2026: lists in pages by the id of the last object, which say whether there are more. A worker has
// its manager as an object, and a balance its worker as `legacyWorkerId`.
import { Fake, type FakeOfPreset, json, sample, status } from "../../pull/fakes/fake.ts";

type Rows = Record<string, unknown>[];

export async function warp(given: Readonly<Record<string, Rows>> = {}, size = 1): Promise<FakeOfPreset> {
  const fake = await Fake.start(({ path, query, headers }) => {
    if (headers.get("x-api-key") !== "warp-key") return status(401, '{"code":"unauthorized"}');
    const name =
      /^\/v1\/(departments|workplaces|holidays|workers|time_off\/(?:policies|assignments|requests|balances))$/.exec(
        path,
      )?.[1];
    if (name === undefined) return status(404);
    const rows = given[name] ?? sample("warp", `${name.replace("/", "_")}.json`).data!;
    const start = query.has("afterId") ? rows.findIndex(({ id }) => id === query.get("afterId")) + 1 : 0;
    const data = rows.slice(start, start + size);
    return json({ count: data.length, data, hasMore: start + size < rows.length });
  });
  return { fake, base: `${fake.url}/v1`, env: { WARP_KEY: "warp-key" } };
}
