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

test("data is old from the seventh day on, and wrong if it is of a day to come", () => {
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
  expect(ageNotes([company], -300_000)).toEqual([]); // clocks differ a little
  expect(ageNotes([company], -300_001)).toMatchObject([
    { problem: "company acme: data was last imported at 1970-01-01T00:00:00.000Z, which is still to come" },
  ]);
  expect(ageNotes([company], week)).toMatchObject([{ problem: expect.stringContaining("7 days ago") }]);
});
