// The commands as an operator runs them, while a server responds and imports run.
import { expect, test } from "bun:test";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportedText, type Place, rollcall, withPlace, withServer } from "../../cli/faults/place.ts";

const importing = (place: Place, folder: string) =>
  rollcall(["import", folder, "--company", "acme", "--prune", "--yes", "--db", place.db]);

test("backups made while imports go on are each of one state, whole; restored, a running server shows them", async () => {
  await withPlace(async (place) => {
    const small = await exportedText(place);
    await importing(place, place.big);
    const big = await exportedText(place);
    await withServer(place, async ({ get }) => {
      const before = await get("/v1/workers");
      const imports = (async () => {
        for (const folder of [place.small, place.big, place.small, place.big]) await importing(place, folder);
      })();
      const backups: string[] = [];
      for (let number = 0; number < 5; number++) {
        const out = join(place.folder, `${number}.backup`);
        expect(await rollcall(["backup", "--out", out, "--db", place.db])).toMatchObject({ exitCode: 0 });
        backups.push(out);
      }
      await imports;
      for (const backup of backups) {
        const other = { ...place, db: `${backup}.db` };
        expect(await rollcall(["restore", backup, "--db", other.db])).toMatchObject({ exitCode: 0 });
        expect([small, big]).toContain(await exportedText(other));
      }
      await importing(place, place.small);
      expect(await get("/v1/workers")).not.toEqual(before);
      const all = join(place.folder, "all.backup");
      await importing(place, place.big);
      await rollcall(["backup", "--out", all, "--db", place.db]);
      await importing(place, place.small);
      await rollcall(["restore", all, "--yes", "--db", place.db]);
      expect(await get("/v1/workers")).toEqual(before);
    });
  });
}, 120_000);

test("what is asked, refused and printed", async () => {
  await withPlace(async (place) => {
    const db = ["--db", place.db];
    const backup = join(place.folder, "x.backup");
    expect(await rollcall(["backup", ...db])).toMatchObject({ exitCode: 2 });
    const made = await rollcall(["backup", "--out", backup, "--json", ...db]);
    expect(JSON.parse(made.stdout)).toMatchObject({
      file: backup,
      rows: { companies: 1, keys: 1, workers: 60 },
    });
    expect(statSync(backup).mode & 0o777).toBe(0o600);

    const unasked = await rollcall(["restore", backup, ...db]);
    expect(unasked).toMatchObject({ exitCode: 2 });
    expect(unasked.stderr).toContain("add --yes to replace everything in it");
    const restored = await rollcall(["restore", backup, "--yes", "--json", ...db]);
    expect(JSON.parse(restored.stdout)).toMatchObject({
      db: place.db,
      quarantine: null,
      rows: { workers: 60 },
    });

    const notes = join(place.folder, "notes");
    writeFileSync(notes, "not a backup");
    const missing = join(place.folder, "missing.db");
    const refused = await rollcall(["restore", notes, "--db", missing]);
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain("Nothing was changed");
    expect(existsSync(missing)).toBe(false);
    const nowhere = await rollcall(["backup", "--out", join(place.folder, "none", "b"), ...db]);
    expect(nowhere).toMatchObject({ exitCode: 1 });
    expect(nowhere.stderr).toContain("its folder does not exist");
  });
}, 60_000);
