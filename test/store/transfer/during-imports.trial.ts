// Backups during imports, for longer and of more rows than in commands.all.test.ts.
import { test } from "bun:test";
import { backUpDuringImports } from "./during-imports.ts";

test(
  "5 backups made while imports go on are each of one state, whole",
  () => backUpDuringImports({ small: 60, big: 500 }, 5),
  600_000,
);
