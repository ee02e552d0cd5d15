// Bad arguments: an error that the assistant can act on, in the form of the protocol.
import { describe, expect, test } from "bun:test";
import { assignmentRow, policyRow, workerRow } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { startService } from "../service.ts";
import { connectTo, SPECIFICATIONS } from "./assistant.ts";

const service = await startService();
await addCompany(service.writer, "acme", {
  workers: [
    workerRow("wrk_1", {
      displayName: "Ana Sol",
      lastName: "Sol",
      department: "Payroll",
      workEmail: "ana@example.com",
    }),
    workerRow("wrk_2", { displayName: "Ana Núñez", lastName: "Núñez", status: "inactive" }),
    workerRow("wrk_3", { displayName: "Bo Li", firstName: "Bo", lastName: "Li", legacyId: "ANA" }),
    ...Array.from({ length: 15 }, (_, at) =>
      workerRow(`wrk_x${at}`, { displayName: `Cy Doe ${at}`, firstName: "Cy", lastName: `Doe ${at}` }),
    ),
  ],
  policies: [policyRow("top_1", { name: "Annual leave" })],
  assignments: [assignmentRow("toa_1", "wrk_1", "top_1")],
});
const key = await addKey(service.writer, "acme");

const WRONG: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
  ["who_is_away", { peple: ["x"] }, /^"peple" is not known here: did you mean `people`\?$/],
  ["find_people", { Name: "x" }, /did you mean `name`/],
  ["find_people", { zzzzzzzzz: 1 }, /known are name, email, status, limit, cursor$/],
  ["list_policies", { name: "x" }, /this tool takes no arguments/],
  ["find_people", { limit: 0 }, /^`limit` 0 is not between 1 and 100$/],
  ["find_people", { limit: 1.5 }, /^`limit` 1.5 must be a whole number/],
  ["find_people", { limit: "ten" }, /^`limit` "ten" must be a whole number/],
  ["find_people", { name: "" }, /^`name` "" is empty: leave it out$/],
  ["find_people", { name: "x".repeat(501) }, /has more than 500 characters$/],
  ["find_people", { name: ["x"] }, /^`name` \["x"\] must be a text$/],
  ["find_people", { email: "nobody" }, /^`email` "nobody" is not an email address/],
  ["find_people", { status: "gone" }, /^`status` "gone" is not one of draft, invited, onboarding, active/],
  ["find_people", { cursor: "tor_1" }, /^`cursor` .*worker id/],
  ["who_is_away", { period: "someday" }, /^`period` "someday" is not one of today, tomorrow/],
  ["who_is_away", { period: "today", from: "2026-03-01", to: "2026-03-02" }, /`period` excludes `from`/],
  ["who_is_away", { from: "2026-03-01" }, /`to` is missing: give both days/],
  [
    "who_is_away",
    { from: "2026-03-02", to: "2026-03-01" },
    /`from` \(2026-03-02\) is after `to` \(2026-03-01\): swap them/,
  ],
  [
    "who_is_away",
    { from: "2026-02-30", to: "2026-03-01" },
    /^`from` "2026-02-30" is not a real day: write YYYY-MM-DD$/,
  ],
  ["who_is_away", { from: "next week", to: 5 }, /^`from` .*; `to` 5 must be a day/],
  ["who_is_away", { statuses: [] }, /^`statuses` \[\] is empty: leave it out$/],
  ["time_off_balance", { people: [] }, /^`people` \[\] is empty: leave it out$/],
  ["list_time_off", { person: " " }, /^`person` " " is empty: it must be given$/],
  [
    "who_is_away",
    { statuses: ["approved", "gone"] },
    /^`statuses` "gone" is not one of pending, approved, denied$/,
  ],
  ["who_is_away", { people: Array(21).fill("x") }, /has more than 20 entries: ask in several calls$/],
  ["who_is_away", { policies: ["holiday"] }, /^No policy is called "holiday": there are "Annual leave"\.$/],
  ["time_off_balance", {}, /^Give people, or managers/],
  [
    "time_off_balance",
    { people: ["wrk_1"], on: "2050-01-01" },
    /^`on` "2050-01-01" is more than 10 years from today/,
  ],
  ["time_off_balance", { people: ["wrk_1"], on: "tomorrow" }, /^`on` "tomorrow" is not a real day/],
  [
    "time_off_balance",
    { people: ["wrk_1"], known_on: "2026-02-30" },
    /^`known_on` "2026-02-30" is not a real day or instant: write YYYY-MM-DD, or a date-time with an offset such as /,
  ],
  ["time_off_balance", { people: ["Nobody"] }, /^Nobody is called "Nobody"/],
  ["list_time_off", { person: "wrk_none" }, /^Nobody is called "wrk_none"/],
  ["list_time_off", { person: "nobody@example.com" }, /^Nobody is called "nobody@example.com"/],
  ["list_time_off", { person: "sol" }, /^Nobody is called "sol", .*: look with find_people\.$/],
];

describe.each(SPECIFICATIONS)("%s", async (specification) => {
  const { client, call } = await connectTo(service.app, key, { specification });

  test.each(WRONG)("%s %j", async (tool, given, message) => {
    const { isError, text } = await call(tool, given);
    expect(text).toMatch(message);
    expect(isError).toBe(true);
  });

  test("a name that fits several people lists them", async () => {
    const { isError, text } = await call("list_time_off", { person: "ana" });
    expect(isError).toBe(true);
    expect(text.split("\n")).toEqual([
      '"ana" fits 2 people: give the id of the person.',
      "id | name | department | work email | status",
      'wrk_1 | "Ana Sol" | "Payroll" | "ana@example.com" | active',
      'wrk_2 | "Ana Núñez" | null | null | inactive',
    ]);
    // An id of the source system counts, too: nobody is chosen silently.
    expect((await call("list_time_off", { person: "ANA" })).text).toContain('"ANA" fits 3 people');
    expect((await call("list_time_off", { person: "cy" })).text).toEndWith("\nand 5 more");
    expect((await call("list_time_off", { person: "Ana Sol" })).isError).toBe(false);
  });

  test("an argument with many mistakes is named once", async () => {
    const { text } = await call("who_is_away", { statuses: ["gone", "sick"], people: ["", " "] });
    expect(text.split("; ")).toEqual([
      '`people` "" is empty: leave it out',
      '`statuses` "gone" is not one of pending, approved, denied',
    ]);
  });

  test("however many arguments are unknown, the error names 20", async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`unheardOf${at}`, 1]));
    const { text } = await call("find_people", many);
    expect(text.split("; ").length).toBe(20);
    expect(text).toStartWith(
      '"unheardOf0" is not known here: known are name, email, status, limit, cursor; ',
    );
  });

  test("an unknown tool is an error of the protocol that names the nearest", async () => {
    await expect(call("who_is_awy")).rejects.toThrow(
      /"who_is_awy" is not known here: did you mean `who_is_away`\?/,
    );
  });

  test("an argument that is null counts as not given", async () => {
    expect((await call("find_people", { name: null, limit: 1 })).isError).toBe(false);
  });

  test("arguments that are no object are refused", async () => {
    await expect(
      client.callTool({
        name: "find_people",
        arguments: "x" as unknown as object as Record<string, unknown>,
      }),
    ).rejects.toThrow();
  });
});
