// rollcall migrate
import { Command } from "commander";
import { dbOption, openWriteStore } from "./open.ts";

export function migrateCommand(): Command {
  return new Command("migrate")
    .description("Bring a store to this version's schema, or make an empty one.")
    .addOption(dbOption())
    .addHelpText("after", "\nExample:\n  rollcall migrate --db ./rollcall.db")
    .action(async (options: { readonly db: string }) => {
      const store = await openWriteStore(options.db, { create: true, migrate: true });
      await store.close();
      console.log("The store has this version's schema.");
    });
}
