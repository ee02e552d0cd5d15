// Doctor says how old each company's data is. Old data is worth a note, and is no fault of the store.
import { expect, test } from "bun:test";
import { ageNotes } from "../../../src/cli/commands/store/doctor.ts";
import { rollcallHere } from "../command.ts";
import { edit, withCompany } from "./report.ts";

interface Report {
  readonly sound: boolean;
  readonly notes: readonly { readonly check: string; readonly problem: string; readonly advice: string }[];
  readonly companies: readonly {
    readonly id: string;
    readonly lastImportedAt: string | null;
    readonly pulledAt: string | null;
    readonly heldMs: number | null;
  }[];
}

test("fresh, old and never imported data: text, JSON, and exit code 0", () =>
  withCompany(async (db) => {
    await rollcallHere("/", ["companies", "create", "old", "--db", db]);
    await rollcallHere("/", ["companies", "create", "unused", "--db", db]);
    const before = Date.now() - 12.5 * 86_400_000;
    edit(db, `update companies set data_as_of_ms = ${before} where id = 'old'`);
    const at = new Date(before).toISOString();

    const text = await rollcallHere("/", ["doctor", "--db", db]);
    expect(text).toMatchObject({ exitCode: 0, stderr: "" });
    expect(text.stdout).toMatch(/^company acme: last import 20\d\d-\S+Z$/m);
    expect(text.stdout).toContain(`company old: last import ${at}\ncompany unused: last import never\n`);
    expect(text.stdout).toContain(`note: company old: data was last imported 12 days ago, at ${at}\n  do: `);
    expect(text.stdout).toContain("note: company unused: no data was ever imported\n  do: rollcall import");
    expect(text.stdout).toContain("nothing found");

    const report = JSON.parse((await rollcallHere("/", ["doctor", "--db", db, "--json"])).stdout) as Report; // its own form
    expect(report.sound).toBe(true);
    expect(report.notes.map(({ check, problem }) => [check, problem.slice(0, 14)])).toEqual([
      ["age", "company old: d"],
      ["age", "company unused"],
    ]);
    expect(report.companies.slice(1)).toEqual([
      { id: "old", lastImportedAt: at, pulledAt: null, heldMs: null },
      { id: "unused", lastImportedAt: null, pulledAt: null, heldMs: null },
    ]);
  }, 12));

test("a change that is dated in the future is noted, also after an import by a clock that is right", () =>
  withCompany(async (db) => {
    const change = (atMs: number) =>
      edit(db, `update company_states set known_at_ms = ${atMs} where company_id = 'acme'`);
    const notes = async () => {
      const { exitCode, stdout } = await rollcallHere("/", ["doctor", "--db", db, "--json"]);
      return [exitCode, (JSON.parse(stdout) as Report).notes.map(({ problem }) => problem)]; // its own form
    };
    change(Date.now() + 240_000); // clocks differ a little
    expect(await notes()).toEqual([0, []]);
    change(Date.parse("2999-03-02T12:00:00Z"));
    expect(await notes()).toEqual([
      0,
      ["company acme: a change is dated 2999-03-02T12:00:00.000Z, which is still to come"],
    ]);
  }));

test("data is old from the seventh day on", () => {
  const company = {
    id: "acme",
    name: "Acme",
    createdAtMs: 0,
    timeZone: null,
    colors: null,
    dataAsOfMs: 0,
    changedAtMs: null,
    history: null,
    retention: null,
  };
  const week = 7 * 86_400_000;
  expect(ageNotes([company], week - 1)).toEqual([]);
  expect(ageNotes([company], week)).toMatchObject([{ problem: expect.stringContaining("7 days ago") }]);
});
