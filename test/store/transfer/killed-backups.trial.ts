// The same as in backup-into.all.test.ts, with 100 kills and more rows.
import { test } from "bun:test";
import { killBackups } from "./killed-backups.ts";

test("a continuous backup that is killed 100 times has only whole moments", async () => {
  const { moments, pieces } = await killBackups({ small: 60, big: 300 }, 100);
  console.log(`${moments} moments in ${pieces} pieces, each restored`);
}, 1_800_000);
