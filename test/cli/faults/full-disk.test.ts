// A disk that fills up during an import: exit 1, a message, and the store as it was.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { findings } from "../doctor/place.ts";
import { exportedText, type Place, rollcall, withPlace } from "./place.ts";

const importBig = (place: Place, shell: string) =>
  rollcall(["import", place.big, "--company", "acme", "--db", place.db], shell);

/** The import fails with these words and leaves everything as it was; with room it works. */
async function expectRefused(place: Place, shell: string, said: string): Promise<void> {
  const before = await exportedText(place);
  const ended = await importBig(place, shell);
  expect(ended.stderr).toContain(said);
  expect(ended.exitCode).toBe(1);
  expect(await exportedText(place)).toBe(before);
  expect(await findings(place.db, "--full")).toEqual([]);
  expect(await importBig(place, "")).toMatchObject({ exitCode: 0 });
}

// The limit's signal is ignored, so that a write fails as on a broken disk instead of ending the process.
test.each([300, 3000])(
  "no file may grow beyond %d blocks",
  (blocks) =>
    withPlace((place) =>
      expectRefused(
        place,
        `trap '' XFSZ; ulimit -f ${blocks};`,
        "cannot be read or written (SQLITE_IOERR_WRITE): check the disk",
      ),
    ),
  60_000,
);

const IS_FULL = "is full. Nothing was changed: free some room and try again";

/** For a command that finds its disk full once its store has grown by so many pages. */
const fullAfter = (pages: number) =>
  `FULL_AFTER_PAGES=${pages} BUN_OPTIONS=--preload=${join(import.meta.dir, "full-store.ts")}; export FULL_AFTER_PAGES BUN_OPTIONS;`;

test.each([0, 60])(
  "the disk is full after %d pages more",
  (pages) => withPlace((place) => expectRefused(place, fullAfter(pages), IS_FULL)),
  60_000,
);

test(
  "a key that finds no room is not made, and those that are there still work",
  () =>
    withPlace(async (place) => {
      const list = () => rollcall(["keys", "list", "--db", place.db, "--json"]);
      const before = (await list()).stdout;
      const create = (shell: string) => {
        const name = "n".repeat(100_000); // more than the pages that are there can take
        return rollcall(["keys", "create", "--company", "acme", "--name", name, "--db", place.db], shell);
      };
      const ended = await create(fullAfter(0));
      expect(ended).toMatchObject({ exitCode: 1, stdout: "" });
      expect(ended.stderr).toContain(IS_FULL);
      expect((await list()).stdout).toBe(before);
      expect(await create("")).toMatchObject({ exitCode: 0 });
    }),
  60_000,
);
