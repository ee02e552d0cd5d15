// A disk that fills up during an import: exit 1, a message, and the store as it was.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { findings } from "../doctor/place.ts";
import { COMMAND, exportedText, type Place, rollcall, withPlace } from "./place.ts";

const importBig = (place: Place, shell: string) =>
  rollcall(["import", place.big, "--company", "acme", "--db", place.db], shell);

test.each([300, 3000])(
  "no file may grow beyond %d blocks",
  (blocks) =>
    withPlace(async (place) => {
      const before = await exportedText(place);
      // The limit's signal is ignored, so that a write fails as on a full disk instead of ending the process.
      const ended = await importBig(place, `trap '' XFSZ; ulimit -f ${blocks};`);
      expect(ended.exitCode).toBe(1);
      expect(ended.stderr).toContain("cannot be read or written (SQLITE_IOERR_WRITE): check the disk");
      expect(await exportedText(place)).toBe(before);
      expect(await findings(place.db, "--full")).toEqual([]);
      expect(await importBig(place, "")).toMatchObject({ exitCode: 0 });
    }),
  60_000,
);

// A disk of our own needs a mount namespace, which some machines do not give to everybody; the limits above run everywhere.
const namespace = ["unshare", process.getuid?.() === 0 ? "-m" : "-rm"];
const canMount = Bun.spawnSync([...namespace, "mount", "-t", "tmpfs", "none", "/mnt"]).exitCode === 0;

test.skipIf(!canMount)(
  "a disk of two megabytes",
  () =>
    withPlace(async (place) => {
      const before = await exportedText(place);
      const script = `
        mkdir "$1/disk" && mount -t tmpfs -o size=2m none "$1/disk" && cp "$1"/rollcall.db* "$1/disk" || exit 9
        "$2" import "$1/big" --company acme --db "$1/disk/rollcall.db" 2>"$1/said"; echo $? >"$1/code"
        mkdir "$1/after" && cp "$1"/disk/rollcall.db* "$1/after"`;
      const command = [...namespace, "sh", "-c", script, "sh", place.folder, COMMAND];
      expect(Bun.spawnSync(command, { stderr: "inherit" }).exitCode).toBe(0);
      expect((await Bun.file(join(place.folder, "code")).text()).trim()).toBe("1");
      const said = await Bun.file(join(place.folder, "said")).text();
      expect(said).toContain("is full. Nothing was changed: free some room and try again");
      const after = { ...place, db: join(place.folder, "after", "rollcall.db") };
      expect(await exportedText(after)).toBe(before);
    }),
  60_000,
);
