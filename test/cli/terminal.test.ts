// Names never drive the operator's terminal, whatever command prints them and however they came into the store.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { printableLines } from "../../src/cli/output.ts";
import { printable } from "../../src/printable.ts";
import { openSqliteWriteStore } from "../../src/store/sqlite/write.ts";
import { assignmentRow, policyRow, requestRow, workerRow } from "../support/rows.ts";
import { addCompany } from "../support/stores.ts";
import { done, inFolder, inFolderWithCompany, rollcallHere } from "./command.ts";
import { rollcall } from "./faults/store-folder.ts";

/** Escapes, C1, turns of direction, line separators, invisible and tag characters. */
const ODD =
  "\x1b]0;pwned\x07 \x1b[2J \x9b31m \x85 \u202e \u2066 \u061c \u200b \u200e \u2028 \ufeff \u00ad \u{e0041}\u{e007f} \u2063 \r\b\x7f";
const DRIVES =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u200b\u200e\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

test("what is printed is escaped as in JSON: it means the same, and joiners stay", () => {
  expect(printable(ODD)).not.toMatch(DRIVES);
  expect(JSON.parse(`"${printable(ODD)}"`)).toBe(ODD);
  expect(JSON.parse(printableLines(JSON.stringify({ name: ODD }, null, 2)))).toEqual({ name: ODD });
  for (const name of ["می‌خواهم", "👩‍👧", "Zoë O’Neill-Łuczak", "名前", "a\tb\nc"])
    expect(printableLines(name)).toBe(name);
});

test("no command prints what a terminal obeys, as text, JSON or an error", () =>
  inFolder(async (folder) => {
    const db = join(folder, "rollcall.db");
    const store = openSqliteWriteStore(db, { create: true });
    await store.createCompany({ id: "acme", name: `Acme ${ODD}`, createdAtMs: 1_772_000_000_000 });
    await addCompany(store, "odd", {
      workers: [
        workerRow("wrk_1", { displayName: ODD, firstName: ODD, workEmail: "a@b.example", legacyId: ODD }),
      ],
      policies: [policyRow("top_1", { name: ODD })],
      assignments: [assignmentRow("toa_1", "wrk_1", "top_1")],
      requests: [requestRow("tor_1", "wrk_1", "top_1", { reason: ODD })],
    });
    await store.close();
    const at = ["--db", db];
    const of = [...at, "--company", "odd"];
    for (const command of [
      ["companies", "list", ...at],
      ["companies", "list", "--json", ...at],
      ["workers", "list", ...of],
      ["workers", "list", "--json", ...of],
      ["doctor", ...at],
      ["import", join(folder, `no ${ODD}`), ...of],
    ]) {
      const { stdout, stderr } = await rollcall(command);
      const printed = (stdout + stderr).replaceAll("\n", "").replaceAll("\t", "");
      expect(printed.length).toBeGreaterThan(0);
      expect([command.slice(0, 2), DRIVES.exec(printed)?.[0]]).toEqual([command.slice(0, 2), undefined]);
    }
  }));

test("a name with a control character is a bad row; line breaks are printed as one", () =>
  inFolderWithCompany(async (folder) => {
    const head = "legacyId,firstName,lastName,email,startDate,status,type,isBusiness,terminationReason\n";
    const load = (name: string, id = "1", reason = "") => {
      writeFileSync(
        join(folder, "workers.csv"),
        `${head}"${id}","${name}",Sol,ana@example.com,2024-01-01,active,employee,no,"${reason}"\n`,
      );
      return rollcallHere(folder, ["import", "workers.csv", "--company", "acme"]);
    };
    for (const [name, id] of [
      ["An\x1b[2Ja", "1"],
      ["An\x9ba", "1"],
      ["An\x7fa", "1"],
      ["Ana", "1\x07 2"],
    ] as const) {
      const { exitCode, stderr, stdout } = await load(name, id);
      expect([name, exitCode]).toEqual([name, 1]);
      expect(stdout + stderr).toContain("has a control character, such as an escape");
    }
    expect(await load("Ana", "1", "first\nsecond")).toMatchObject({ exitCode: 0 });
    expect(await load("Ana\nMia")).toMatchObject({ exitCode: 0 });
    expect(await done(folder, "workers", "list", "--company", "acme")).toContain("Ana\\u000aMia");
  }));
