// A disk that fills up during an import: exit 1, a message, and the store as it was.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROLLCALL } from "../../support/rollcall-path.ts";
import { rollcallHere } from "../command.ts";
import { findings } from "../doctor/report.ts";
import { factsDigest, rollcall, type StoreFolder, withStoreFolder } from "./store-folder.ts";

const importing = ({ big, db }: StoreFolder) => ["import", big, "--company", "acme", "--db", db];

/** The store has 1,300 blocks before the import, and 4,500 after it. */
const SIZES = { small: 20, big: 100 };

/** The import fails with these words and leaves everything as it was; with room it works. */
async function expectRefused(storeFolder: StoreFolder, shell: string, said: string): Promise<void> {
  const before = await factsDigest(storeFolder);
  const ended = await rollcall(importing(storeFolder), shell);
  expect(ended.stderr).toContain(said);
  expect(ended.exitCode).toBe(1);
  expect(await factsDigest(storeFolder)).toBe(before);
  expect(await findings(storeFolder.db)).toEqual([]);
  expect(await rollcallHere(storeFolder.folder, importing(storeFolder))).toMatchObject({ exitCode: 0 });
}

// The limit's signal is ignored, so that a write fails as on a broken disk instead of ending the process.
test.each([300, 3000])(
  "no file may grow beyond %d blocks",
  (blocks) =>
    withStoreFolder(
      (storeFolder) =>
        expectRefused(
          storeFolder,
          `trap '' XFSZ; ulimit -f ${blocks};`,
          "cannot be read or written (SQLITE_IOERR_WRITE): check the disk",
        ),
      SIZES,
    ),
  120_000,
);

const IS_FULL =
  "is full. Nothing was changed: free some space and try again. If it has space, the disk of temporary files";

/** For a command that finds its disk full once its store has grown by so many pages. */
const fullAfter = (pages: number) =>
  `FULL_AFTER_PAGES=${pages} BUN_OPTIONS=--preload=${join(import.meta.dir, "full-store.ts")}; export FULL_AFTER_PAGES BUN_OPTIONS;`;

test.each([0, 60])(
  "the disk is full after %d pages more",
  (pages) => withStoreFolder((storeFolder) => expectRefused(storeFolder, fullAfter(pages), IS_FULL), SIZES),
  120_000,
);

test.each([10, 60])(
  "the disk of temporary files has room for %d pages",
  (pages) =>
    withStoreFolder((storeFolder) => {
      const variables = `SQLITE_TMPDIR=${storeFolder.folder} FULL_TEMPORARY_PAGES=${pages} BUN_OPTIONS=--preload=${join(import.meta.dir, "full-store.ts")}`;
      return expectRefused(
        storeFolder,
        `export ${variables};`,
        `The disk of temporary files (${storeFolder.folder}) is full. Nothing was changed`,
      );
    }, SIZES),
  120_000,
);

test(
  "a disk so full that the log has no room for its index is called full, not broken",
  () =>
    withStoreFolder(async ({ folder, db }) => {
      const listing = ["companies", "list", "--db", db];
      const ended = await rollcall(listing, "trap '' XFSZ; ulimit -f 10;");
      expect(ended.stderr).toContain(IS_FULL);
      expect(ended.exitCode).toBe(1);
      expect(await rollcallHere(folder, listing)).toMatchObject({ exitCode: 0 });
    }, SIZES),
  120_000,
);

test(
  "a backup that finds no room for its database names the place, and leaves nothing",
  () =>
    withStoreFolder(async ({ folder, db }) => {
      const [temporary, out] = [join(folder, "temporary"), join(folder, "x.backup")];
      mkdirSync(temporary);
      const shell = `export SQLITE_TMPDIR=${temporary}; trap '' XFSZ; ulimit -f 300;`;
      const ended = await rollcall(["backup", "--out", out, "--db", db], shell);
      expect(ended.stderr).toMatch(
        new RegExp(`${temporary}/rollcall-\\S+ cannot be read or written \\(SQLITE_IOERR_WRITE\\)`),
      );
      expect(ended.exitCode).toBe(1);
      expect([readdirSync(temporary), existsSync(out)]).toEqual([[], false]);
      expect(await rollcallHere(folder, ["backup", "--out", out, "--db", db])).toMatchObject({ exitCode: 0 });
    }, SIZES),
  120_000,
);

test(
  "a key that finds no room is not made, and those that are there still work",
  () =>
    withStoreFolder(async (storeFolder) => {
      const list = () => rollcallHere(storeFolder.folder, ["keys", "list", "--db", storeFolder.db, "--json"]);
      const before = (await list()).stdout;
      const create = (shell: string) => {
        const name = "n".repeat(100_000); // more than the pages that are there can take
        return rollcall(
          ["keys", "create", "--company", "acme", "--name", name, "--db", storeFolder.db],
          shell,
        );
      };
      const ended = await create(fullAfter(0));
      expect(ended).toMatchObject({ exitCode: 1, stdout: "" });
      expect(ended.stderr).toContain(IS_FULL);
      expect((await list()).stdout).toBe(before);
      expect(await create("")).toMatchObject({ exitCode: 0 });
    }, SIZES),
  120_000,
);

test(
  "a restore whose keys find no room says that the data was restored, and another restore ends it",
  () =>
    withStoreFolder(async ({ folder, db }) => {
      const [source, backup] = [join(folder, "source.db"), join(folder, "source.backup")];
      const done = async (...args: string[]) => {
        const ended = await rollcallHere(folder, args);
        expect(ended).toMatchObject({ exitCode: 0 });
        return ended.stdout;
      };
      const companiesOf = async (table: "companies" | "keys") =>
        Object.fromEntries(
          (
            JSON.parse(await done(table, "list", "--db", db, "--json")) as { id: string; company?: string }[]
          ).map(({ id, company }) => [company ?? id, true]),
        );
      await done("migrate", "--db", source);
      await done("companies", "create", "other", "--db", source);
      const name = "n".repeat(100_000); // more pages than the keys' file may grow by
      await done("keys", "create", "--company", "other", "--name", name, "--db", source);
      await done("backup", "--out", backup, "--db", source);
      const restore = ["restore", backup, "--yes", "--db", db];
      const ended = await rollcall(restore, fullAfter(10));
      expect(ended.stderr).toContain("The data was restored, but not the keys and calendar feeds");
      expect(ended.exitCode).toBe(1);
      expect([await companiesOf("companies"), await companiesOf("keys")]).toEqual([
        { other: true },
        { acme: true },
      ]);
      await done(...restore);
      expect(await companiesOf("keys")).toEqual({ other: true }); // or the old keys would open a new company called acme
      expect(await findings(db)).toEqual([]);
    }, SIZES),
  120_000,
);

test.each(["openapi", "import --help"])(
  "%s ends with 1 where stdout can take nothing more, and says so once",
  async (line) => {
    const ended = await rollcall(
      line.split(" "),
      `trap '' XFSZ; ulimit -f 0; f=$(mktemp); exec >"$f"; rm "$f";`,
    );
    expect(ended.stderr).toMatch(
      /^rollcall: stdout cannot be written \(\w+\): part of what was printed is missing\..*\n$/,
    );
    expect(ended.exitCode).toBe(1);
  },
  120_000,
);

test("where the reader of stdout is gone, the exit code is that of the work", async () => {
  const piped = Bun.spawn(["sh", "-c", `("${ROLLCALL}" openapi; echo "ended with $?" >&2) | head -n 1`], {
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await new Response(piped.stdout).text()).toBe("{\n");
  expect(await new Response(piped.stderr).text()).toBe("ended with 0\n");
}, 120_000);

test(
  "a draft of a mapping that finds no room leaves no file, so the next try is not refused",
  () =>
    withStoreFolder(async ({ folder, small }) => {
      const out = join(folder, "map.json");
      const args = ["map", "init", join(small, "workers.csv"), "--out", out];
      const ended = await rollcall(args, "trap '' XFSZ; ulimit -f 0;");
      expect(ended.stderr).toContain(`${out} cannot be written to`);
      expect(ended.exitCode).toBe(1);
      expect(await rollcallHere(folder, args)).toMatchObject({ exitCode: 0 });
    }, SIZES),
  120_000,
);

test(
  "a passport that finds no room leaves the file that was there, and no other",
  () =>
    withStoreFolder(async ({ folder, db }) => {
      const company = ["--company", "acme", "--db", db];
      const [worker] = JSON.parse(
        (await rollcallHere(folder, ["workers", "list", ...company, "--json"])).stdout,
      );
      const files = join(folder, "passports");
      mkdirSync(files);
      const file = join(files, "ana.html");
      const writing = ["workers", "show", worker.id, ...company, "--out", file];
      const noRoom = "trap '' XFSZ; ulimit -f 80;"; // there is room for SQLite's own index of its log
      expect((await rollcall(writing, noRoom)).exitCode).toBe(1);
      expect(readdirSync(files)).toEqual([]);
      writeFileSync(file, "what was there", { mode: 0o644 });
      const ended = await rollcall(writing, noRoom);
      expect(ended.stderr).toContain(`--out: ${file} cannot be written (EFBIG): check its folder`);
      expect(readdirSync(files)).toEqual(["ana.html"]);
      expect(readFileSync(file, "utf8")).toBe("what was there");
      expect(await rollcallHere(folder, writing)).toMatchObject({ exitCode: 0 });
      expect(readFileSync(file, "utf8")).toEndWith("</html>\n");
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }, SIZES),
  120_000,
);
