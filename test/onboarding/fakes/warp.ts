// Warp: lists in pages by the id of the last object, which say whether there are more.
import { Fake, type FakeOfPreset, json, sample, status } from "../../pull/fakes/fake.ts";

export async function warp(): Promise<FakeOfPreset> {
  const fake = await Fake.start(({ path, query, headers }) => {
    if (headers.get("x-api-key") !== "warp-key") return status(401, '{"code":"unauthorized"}');
    const name =
      /^\/v1\/(departments|workplaces|holidays|workers|time_off\/(?:policies|assignments|requests))$/.exec(
        path,
      )?.[1];
    if (name === undefined) return status(404);
    const rows = sample("warp", `${name.replace("/", "_")}.json`).data!;
    const start = query.has("afterId") ? rows.findIndex(({ id }) => id === query.get("afterId")) + 1 : 0;
    const data = rows.slice(start, start + 1);
    return json({ count: data.length, data, hasMore: start + 1 < rows.length });
  });
  return { fake, base: `${fake.url}/v1`, env: { WARP_KEY: "warp-key" } };
}
