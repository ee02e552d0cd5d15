// Pull files: every mistake at once, each with its path, in words; and the JSON Schema for editors.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { JsonFileMistakes } from "../../src/json-file.ts";
import { PRESET_PULL_FILES } from "../../src/onboarding/presets/index.ts";
import { checkedPullFile, readPullFile } from "../../src/pull/pull-file.ts";
import { pullJsonSchema } from "../../src/pull/schema.ts";
import { inFolder, rollcallHere } from "../cli/command.ts";
import { Fake, json, status } from "./fakes/fake.ts";

function mistakesOf(content: Record<string, unknown>): readonly string[] {
  try {
    checkedPullFile("hr.pull.json", content);
  } catch (error) {
    if (error instanceof JsonFileMistakes)
      return error.mistakes.map((text) => text.replace("hr.pull.json: ", ""));
    throw error;
  }
  return [];
}

test("all mistakes are told at once, with their path", () => {
  const mistakes = mistakesOf({
    base: "https://hr.example.com/{company}",
    auths: {},
    auth: { bearer: "{secret.KEY}", header: { "x-key": "{secret.}" } },
    pace: { perMinute: 0 },
    files: {
      "people.json": { get: "people", post: "people", pages: { page: "page", cursor: "next" } },
      "../leave.json": { get: "leave/{id" },
      "days.json": { get: "days/{id}", rows: "a..b", limit: 5 },
      "more.json": { each: "peple.json", get: "x/{id}" },
      "whole.json": {
        get: "x",
        complete: { requests: { endsOnOrAfter: "soon" }, leave: { updatedSince: "{today}" } },
      },
      "body.json": { get: "x", json: { a: ["{today-3}"] }, optional: "yes" },
      "added.json": { get: "x", add: { key: "{id}" } },
    },
  });
  expect(mistakes).toEqual([
    "auth.header.x-key: has {secret.}, which is not one of {env.NAME}, {secret.NAME}, {today}, {today-30d} or a value of each such as {id}",
    "auth: needs exactly one of basic, bearer, header and token",
    "pace.perMinute: is not a whole number from 1 to 6000",
    '"auths" is not a known key (did you mean auth?)',
    "files.people.json.pages: needs exactly one of page, offset, cursor, next, link, after",
    "files.people.json: needs exactly one of get and post",
    "files.../leave.json: is not the name of a file such as people.json",
    "files.../leave.json.get: has a brace that does not close: write {{ for a brace",
    "files.days.json.rows: is not a path such as data.items",
    'files.days.json: "limit" is not a known key',
    'files.more.json.each: "peple.json" is not a file before this one',
    "files.whole.json.complete.requests.endsOnOrAfter: is not a day such as {today-730d} or 2025-01-01",
    'files.whole.json.complete: "leave" is not a known key',
    "files.body.json.json.a.0: has {today-3}, which is not one of {env.NAME}, {secret.NAME}, {today}, {today-30d} or a value of each such as {id}",
    "files.body.json.optional: is neither true nor false",
    "files.added.json: uses a value of a row in braces, but has no each to name the file",
    "base: uses a value of each, which only files may use",
  ]);
});

test("what is wrong with one file beside another", () => {
  const files = {
    "people.json": { get: "people", complete: { requests: { updatedSince: "{today-30d}" } } },
    "leave.json": {
      each: "people.json",
      get: "leave/{id}",
      add: { key: "{secret.KEY}" },
      complete: { requests: { startsOnOrAfter: "2025-01-01" } },
    },
    "days.json": { get: "days/{id}" },
    "pull.json": { post: "x", json: {}, form: {} },
    "none.json": {},
  };
  expect(mistakesOf({ base: "https://hr.example.com", files })).toEqual([
    "files.leave.json.add: uses a secret, which would be written into the file",
    "files.leave.json.complete: names requests, as people.json does: name it once",
    "files.days.json: uses a value of a row in braces, but has no each to name the file",
    "files.pull.json: is not the name of a file such as people.json",
    "files.pull.json: has both json and form: a request has one body",
    "files.none.json: needs exactly one of get and post",
  ]);
  expect(mistakesOf({ files: {} })).toEqual(["base: is missing", "files: is empty: name a file to write"]);
  expect(mistakesOf({ base: 1, files: [] })).toEqual(["base: is not text", "files: is not an object"]);
});

test("a window without complete would prune what leaves it: the file has to say what is complete", () => {
  const mistakes = (leave: object, people: object = {}) =>
    mistakesOf({
      base: "https://hr.example.com",
      files: { "people.json": { get: "people", ...people }, "leave.json": leave },
    });
  const refused = (day: string) => [
    `files.leave.json: asks for rows from ${day} on, and a sync would remove older ones: say "complete": {"requests": {"endsOnOrAfter": "${day}"}}, or "complete": {} if it asks for all rows`,
  ];
  expect(mistakes({ get: "leave", query: { from: ["{today-730d}"] } })).toEqual(refused("{today-730d}"));
  expect(mistakes({ get: "leave/{today-7d}/on" })).toEqual(refused("{today-7d}"));
  expect(mistakes({ post: "leave", json: { filter: [{ from: "{today-30d}T00:00Z" }] } })).toEqual(
    refused("{today-30d}"),
  );
  expect(mistakes({ get: "leave", query: { from: "{today-730d}" }, complete: {} })).toEqual([]);
  expect(mistakes({ get: "leave", query: { from: "{today-730d}" } }, { complete: {} })).toEqual([]);
  expect(mistakes({ get: "leave", query: { to: "{today+30d}", on: "{today}" } })).toEqual([]);
});

test("the command tells them, and mistakes of JSON, variables and arguments", async () => {
  await inFolder(async (folder) => {
    const say = async (content: string, ...args: string[]) => {
      writeFileSync(join(folder, "hr.pull.json"), content);
      return await rollcallHere(folder, ["pull", "hr.pull.json", ...args]);
    };
    const broken = await say("{\n // ours\n bad", "--check");
    expect([broken.exitCode, broken.stderr]).toEqual([
      1,
      "rollcall: hr.pull.json: is not valid JSON: line 3: invalid symbol\n",
    ]);
    expect((await say('{"base": 1, "files": {"a.json": {}}}', "--check")).stderr).toContain(
      "hr.pull.json: base: is not text\nhr.pull.json: files.a.json: needs",
    );
    const wanting =
      '{"base": "https://{env.HR_COMPANY}.example.com", "auth": {"bearer": "{secret.HR_KEY}"}, "files": {"a.json": {"get": "a"}}}';
    expect((await say(wanting, "--check")).stderr).toBe(
      "rollcall: hr.pull.json: the variable HR_COMPANY is not set\nhr.pull.json: the secret HR_KEY is not there: set HR_KEY, or HR_KEY_FILE to the path of a file that has it\n",
    );
    expect(await say(wanting)).toMatchObject({ exitCode: 2 });
    const none = await rollcallHere(folder, ["pull", "bamboo", "--check"]);
    expect(none).toMatchObject({ exitCode: 1 });
    expect(none.stderr).toMatch(
      /there is no pull file at bamboo \(ENOENT\): check the path .*, or name a preset: bamboohr/,
    );
  });
});

test("the JSON Schema takes each preset, and not what the command refuses", async () => {
  const schema = z.fromJSONSchema(pullJsonSchema());
  const validate = (content: unknown) => schema.safeParse(content).success;
  for (const [name, preset] of PRESET_PULL_FILES) {
    expect(validate(preset)).toBe(true);
    expect((await readPullFile(name, PRESET_PULL_FILES)).isPreset).toBe(true);
  }
  expect(validate({ base: "https://x", files: { "a.json": { get: "a", rows: 1 } } })).toBe(false);
});

test("a check tells each right: of a file that is requested for each row of an empty one, nothing is known", async () => {
  const fake = await Fake.start(({ path }) =>
    path === "/people"
      ? json([{ id: 7 }])
      : path === "/teams"
        ? json([])
        : path === "/leave/7"
          ? json([{}])
          : status(403),
  );
  const files = {
    "people.json": { get: "people" },
    "teams.json": { get: "teams" },
    "leave.json": { get: "leave/{id}", each: "people.json" },
    "plans.json": { get: "plans/{id}", each: "teams.json" },
    "pay.json": { get: "pay", optional: true },
    "hours.json": { get: "hours" },
  };
  await inFolder(async (folder) => {
    writeFileSync(join(folder, "hr.pull.json"), JSON.stringify({ base: fake.url, files }));
    const { exitCode, stdout, stderr } = await rollcallHere(folder, ["pull", "hr.pull.json", "--check"]);
    expect(stdout.split("\n").map((line) => line.trim().split(/ {2,}/))).toEqual([
      ["file", "path", "may be read", "rows"],
      ["people.json", "people", "yes", "1 on the first page"],
      ["teams.json", "teams", "yes", "0 on the first page"],
      ["leave.json", "leave/{id}", "yes", "1 on the first page"],
      ["plans.json", "plans/{id}", "-", "not requested: there is no row of teams.json"],
      ["pay.json", "pay", "no (optional)", "GET pay: responded 403"],
      ["hours.json", "hours", "no", "GET hours: responded 403"],
      [""],
    ]);
    expect([exitCode, stderr]).toEqual([
      1,
      "rollcall: a pull would fail at hours.json: give the key the rights, or see docs/pull.md\n",
    ]);
  });
  await fake.stop();
});
