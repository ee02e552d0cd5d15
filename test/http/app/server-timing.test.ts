import { expect, test } from "bun:test";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { startService } from "../service.ts";

const service = await startService({ serverTiming: true });
await addCompany(service.writer, "acme", sampleFacts());
const key = await addKey(service.writer, "acme");

/** The phases named in `Server-Timing`, in order. Their durations are numbers. */
async function phasesOf(path: string, headers: Record<string, string> = {}, apiKey: string | null = key) {
  const response = await service.call(path, { key: apiKey, headers });
  const timing = response.headers.get("server-timing")!;
  return timing.split(", ").map((phase) => /^([a-z-]+);dur=\d+\.\d{3}$/.exec(phase)![1]);
}

test("a response names its phases in the order of the request lifecycle", async () => {
  const path = "/v1/workers?limit=3";
  const lifecycle = ["route", "key", "rate-limit", "admission", "cache", "validate", "read", "negotiate"];
  expect(await phasesOf(path)).toEqual(lifecycle);
  expect(await phasesOf(path)).toEqual(["route", "key", "rate-limit", "admission", "cache", "negotiate"]);
  expect(await phasesOf("/v1/workers/wrk_ana")).toEqual(lifecycle);
});

test("an error names the phases that its request passed", async () => {
  expect(await phasesOf("/v1/workers", {}, null)).toEqual(["route"]);
  expect(await phasesOf("/v1/workers?limit=0")).toEqual([
    "route",
    "key",
    "rate-limit",
    "admission",
    "cache",
    "validate",
  ]);
});

test("nothing is timed unless the setting says so", async () => {
  const plain = await startService();
  const response = await plain.call("/healthz", {});
  expect(response.headers.has("server-timing")).toBe(false);
});
