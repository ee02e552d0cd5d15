// An id of another company is indistinguishable from one that does not exist (docs/api.md, Authentication).
import { describe, expect, test } from "bun:test";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import type { CheckedResponse } from "../check.ts";
import { LISTS, RETRIEVALS } from "../endpoints.ts";
import { OF_THE_RIVAL, RIVAL_FILTERS, RIVAL_ID, rivalFacts } from "../foreign-ids.ts";
import { startService } from "../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());
await addCompany(service.writer, "rival", rivalFacts());
const key = await addKey(service.writer, "acme");
const rivalKey = await addKey(service.writer, "rival");

/** What a caller can see of a response. The request id is the caller's own, so it is always the same. */
async function seen(path: string): Promise<{ status: number; headers: [string, string][]; text: string }> {
  const response: CheckedResponse = await service.call(path, { key, headers: { "x-request-id": "same" } });
  return { status: response.status, headers: [...response.headers].sort(), text: response.text };
}

async function expectAlike(foreign: string, absent: string, path: (id: string) => string): Promise<void> {
  const [first, second] = [await seen(path(foreign)), await seen(path(absent))];
  const text = JSON.stringify(second).replaceAll(encodeURIComponent(absent), encodeURIComponent(foreign));
  expect(JSON.stringify(first)).toBe(text.replaceAll(absent, foreign));
}

describe.each(RETRIEVALS)("$name", ({ at, name }) => {
  test("a foreign id and an absent id get the same 404", async () => {
    const foreign = RIVAL_ID[name]!;
    expect((await service.call(at(foreign), { key: rivalKey })).status).toBe(200);
    expect((await service.call(at(foreign), { key })).status).toBe(404);
    await expectAlike(foreign, foreign.replaceAll("m1", "m2"), at);
    await expectAlike(foreign, foreign.replaceAll("m1", "m2"), (id) => `${at(id)}?nonsense=1`);
  });
});

describe.each(LISTS)("$name", ({ name, path, contract }) => {
  const cursors = OF_THE_RIVAL[name]!.flatMap((id) => [
    `afterId=${id}`,
    `beforeId=${id}`,
    `limit=1&afterId=${id}`,
  ]);
  test.each(cursors)("the cursor %s", async (query) => {
    await expectAlike("m1", "m2", (part) => `${path}?${query.replaceAll("m1", part)}`);
  });

  const filters = Object.entries(RIVAL_FILTERS).filter(([parameter]) =>
    Object.hasOwn(contract.parameters, parameter),
  );

  test.each(filters)("the filter %s", async (parameter, value) => {
    const absent = value!.startsWith("max") ? "may@rival.example" : value!.replace("m1", "m2");
    await expectAlike(value!, absent, (id) => `${path}?${parameter}=${id}`);
    if (value!.startsWith("max") || contract.parameters[parameter!]!.isSplit === false) return;
    const own = value!.startsWith("wrk") ? "wrk_ana" : "top_annual";
    await expectAlike(value!, absent, (id) => `${path}?${parameter}=${own},${id}&limit=1`);
    await expectAlike(
      value!,
      absent,
      (id) => `${path}?${parameter}=${id}&beforeId=${OF_THE_RIVAL[name]![0]}`,
    );
  });

  test("the two companies' own lists have no object in common", async () => {
    const named = name === "capacity" ? `${path}?groupBy=worker` : path; // of all together it names nobody
    const [own, rival] = await Promise.all([key, rivalKey].map((one) => service.call(named, { key: one! })));
    expect(own!.text).not.toContain("m1");
    expect(rival!.text).toContain("m1");
    expect(rival!.text).not.toContain("_ana");
  });
});
