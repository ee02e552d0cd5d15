import { expect, test } from "bun:test";
import { sampleFacts } from "../../../support/rows.ts";
import { addCompany, addKey } from "../../../support/stores.ts";
import { problemOf, startService } from "../../service.ts";

const service = await startService();
await addCompany(service.writer, "acme", sampleFacts());
const key = await addKey(service.writer, "acme");

test.each([
  ["", false],
  ["ana", false],
  ["@example.com", false],
  ["ana@", false],
  ["ana@example", false],
  ["ana@.com", false],
  ["ana@example.", false],
  ["ana@example..com", false],
  ["ana@@example.com", false],
  ["ana@exa@mple.com", false],
  ["a%00na@example.com", false],
  ["ana%0D%0A@example.com", false],
  ["ana%C2%A0sol@example.com", false],
  ["ana%C2%85@example.com", false],
  [`${"a".repeat(243)}@example.com`, false],
  ["ana+leave@example.com", true],
  ["ana%20leave@example.com", true],
  ["ana+leave@example", false],
])("workEmail=%s", async (value, isMendedByEscaping) => {
  const response = await service.call(`/v1/workers?workEmail=${value}`, { key });
  expect(response.status).toBe(400);
  const [error, ...others] = problemOf(response).errors!;
  expect(others).toEqual([]);
  expect(error!.parameter).toBe("workEmail");
  expect(error!.detail).toContain("is not an email address such as ana@example.com");
  expect(error!.detail.includes("%2B")).toBe(isMendedByEscaping);
});

test("an address whose bytes are not UTF-8 is refused, and does not match nobody in silence", async () => {
  const response = await service.call("/v1/workers?workEmail=j%F6rg@example.com", { key });
  expect(response.status).toBe(400);
  expect(problemOf(response).errors![0]!.detail).toContain("is not UTF-8: percent-encode its UTF-8 bytes");
});

test.each([
  "ana%2Bleave@example.com",
  "fran%C3%A7ois0@adventure-works.com",
  "%F0%9F%99%82@example.com",
  "a,b@example.com",
  "'or'1'='1@example.com",
  `${"a".repeat(242)}@example.com`,
])("workEmail=%s is well-formed and matches no worker", async (value) => {
  const response = await service.call(`/v1/workers?workEmail=${value}`, { key });
  expect(response.status).toBe(200);
  expect(response.text).toBe('{"count":0,"data":[],"hasMore":false}');
});

test("a misspelt choice: the error suggests the right one", async () => {
  const detailOf = async (statuses: string) =>
    problemOf(await service.call(`/v1/workers?statuses=${statuses}`, { key })).errors![0]!.detail;
  expect(await detailOf("active,actve")).toBe(
    '"actve" is not one of draft, invited, onboarding, active, offboarding, inactive (did you mean active?)',
  );
  expect(await detailOf("gone")).toBe(
    '"gone" is not one of draft, invited, onboarding, active, offboarding, inactive',
  );
});

test("twice, in brackets and misspelt", async () => {
  const pair = "workEmail=ana@example.com";
  const twice = problemOf(await service.call(`/v1/workers?${pair}&${pair}`, { key }));
  expect(twice.errors).toEqual([{ parameter: "workEmail", detail: "is given more than once: give it once" }]);
  for (const sent of ["workEmail[]", "workemail", "workMail", "work_email", "email", "EMAIL[]"]) {
    const { errors } = problemOf(await service.call(`/v1/workers?${sent}=ana@example.com`, { key }));
    expect(errors).toEqual([{ parameter: sent, detail: "is not known here: did you mean `workEmail`?" }]);
  }
  // A worker is found by its path: none of these filters is meant.
  const { errors } = problemOf(await service.call("/v1/workers?workerId=wrk_ana", { key }));
  expect(errors![0]!.detail).toStartWith("is not known here: known are limit, ");
});
