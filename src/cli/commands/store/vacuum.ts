// rollcall vacuum
import type { Command } from "commander";
import { UsageError } from "../../failure.ts";
import { storeAt } from "../../open.ts";
import { option, RollcallCommand, type StoreOptions } from "../../options.ts";
import { print } from "../../output.ts";
import { endedWhenInterrupted } from "../../program.ts";

export function vacuumCommand(): Command {
  return new RollcallCommand("vacuum")
    .description("PostgreSQL: vacuum the tables after the imports of a night, as the role that owns them.")
    .addOption(option("db"))
    .addOption(option("json"))
    .examples("rollcall vacuum --db postgres://owner@db.example.com/rollcall")
    .action(async ({ db, json }: StoreOptions) => {
      const { vacuum } = storeAt(db);
      if (vacuum === null)
        throw new UsageError(`${db} is an embedded store, whose imports leave nothing to vacuum`);
      await endedWhenInterrupted(
        () => "some tables were vacuumed: run rollcall vacuum again for the others",
        vacuum,
      );
      print(
        json,
        { vacuumed: true },
        "Vacuumed every table. Bytes of removed rows stay until others overwrite them.",
      );
    });
}
