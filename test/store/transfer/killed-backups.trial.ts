// The same as in backup-into.all.test.ts, with 100 kills and more rows.
import { test } from "bun:test";
import { killBackups } from "./killed-backups.ts";

test("a continuous backup that is killed 100 times leaves only whole ones", async () => {
  console.log(`${await killBackups({ small: 60, big: 300 }, 100)} backups, each restored`);
}, 1_800_000);
