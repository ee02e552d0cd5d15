// Whoever may write to an import folder cannot have another file read: links that lead out of it are refused when the folder
// is looked at, and when a file is opened, since it may have been replaced between the two.
import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { importCompany } from "../../../src/import/import-company.ts";
import { candidatesOf } from "../../../src/import/read/files.ts";
import { findSources } from "../../../src/import/read/sources.ts";
import { ImportRefused } from "../../../src/import/row-errors.ts";
import { draftMapping } from "../../../src/onboarding/draft.ts";
import { folderOf, TestCompany } from "../../support/import-files.ts";

const HEADER = "legacyId,email,workEmail,firstName,lastName,isBusiness,startDate,status,type";
const WORKERS = `${HEADER}\nE1,ana@example.com,,Ana,Lind,false,2024-01-01,active,employee\n`;
const SECRET = `password=s3cret\n${WORKERS}`;
const OUTSIDE = "is a link to a file outside its folder";

/** Looks at the folder, lets `replace` happen, and imports. Gives what is said. */
async function importAfter(folder: string, replace: () => void): Promise<string> {
  const company = await TestCompany.open();
  const { sources } = await findSources([folder], null);
  replace();
  const plain = { isDryRun: false, isPruning: false, today: 20_240, nowMs: 0 };
  try {
    await importCompany(company.store, company.id, sources, plain);
    return "imported";
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    return error.message;
  } finally {
    await company.store.close();
  }
}

const bytesAs: Readonly<Record<string, (text: string) => string | Uint8Array>> = {
  "workers.csv": (text) => text,
  "workers.csv.gz": (text) => gzipSync(text),
  "workers.json": (text) => JSON.stringify([{ legacyId: text }]),
  "workers.jsonl": (text) => JSON.stringify({ legacyId: text }),
  "workers.xlsx": () => "PK but no workbook",
  "workers.xlsx.gz": () => gzipSync("PK but no workbook"),
};

describe.each(Object.keys(bytesAs))("%s", (name) => {
  const bytes = (text: string) => bytesAs[name]!(text);

  test("replaced by a link to a file outside, after the folder was listed, is refused without showing its content", async () => {
    const folder = folderOf({ [name]: bytes(WORKERS) });
    const secret = join(folderOf({ [name]: bytes(SECRET) }), name);
    const said = await importAfter(folder, () => {
      rmSync(join(folder, name));
      symlinkSync(secret, join(folder, name));
    });
    expect(said).toContain(OUTSIDE);
    expect(said).not.toContain("s3cret");
  });

  test("replaced by a pipe is refused at once", async () => {
    const folder = folderOf({ [name]: bytes(WORKERS) });
    const said = await importAfter(folder, () => {
      rmSync(join(folder, name));
      Bun.spawnSync(["mkfifo", join(folder, name)]);
    });
    expect(said).toContain("is not a file");
  });
});

test("a parent folder replaced by a link to a folder outside is refused", async () => {
  const folder = folderOf({});
  mkdirSync(join(folder, "..data"));
  writeFileSync(join(folder, "..data", "workers.csv"), WORKERS);
  symlinkSync("..data/workers.csv", join(folder, "workers.csv")); // as Kubernetes mounts files
  expect(await importAfter(folder, () => {})).toBe("imported");
  const said = await importAfter(folder, () => {
    renameSync(join(folder, "..data"), join(folder, "..before"));
    symlinkSync(folderOf({ "workers.csv": SECRET }), join(folder, "..data"));
  });
  expect(said).toContain(OUTSIDE);
  expect(said).not.toContain("s3cret");
});

test("a file replaced by another file of the folder is read; a link named on the command line is followed", async () => {
  const folder = folderOf({ "workers.csv": "no workers" });
  const replace = () => {
    writeFileSync(join(folder, "new"), WORKERS);
    renameSync(join(folder, "new"), join(folder, "workers.csv"));
  };
  expect(await importAfter(folder, replace)).toBe("imported");
  const link = join(folderOf({}), "workers.csv");
  symlinkSync(join(folder, "workers.csv"), link);
  expect(await importAfter(link, () => {})).toBe("imported");
});

test("a draft of a mapping does not read a file outside either", async () => {
  const folder = folderOf({ "people.csv": WORKERS });
  const candidates = await candidatesOf([folder]);
  expect((await draftMapping(candidates)).text).toContain(basename("people.csv"));
  const secret = join(folderOf({ "secret.csv": SECRET }), "secret.csv");
  expect(readFileSync(secret, "utf8")).toContain("s3cret");
  rmSync(join(folder, "people.csv"));
  symlinkSync(secret, join(folder, "people.csv"));
  const draft = (await draftMapping(candidates)).text;
  expect(draft).toContain(OUTSIDE);
  expect(draft).not.toContain("s3cret");
});
