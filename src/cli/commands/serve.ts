// rollcall serve
import type { Command } from "commander";
import { SERVE_NAMES } from "../../settings.ts";
import { option, RollcallCommand } from "../options.ts";
import { type ServeOptions, serveSettings } from "../serving/settings.ts";

export function serveCommand(): Command {
  const command = new RollcallCommand("serve").description("Serve the API.").addOption(option("db"));
  for (const name of SERVE_NAMES) command.addOption(option(name));
  return command
    .examples("rollcall serve", "rollcall serve --db /var/lib/rollcall/rollcall.db --port 8080 --processes 2")
    .action(async (options: ServeOptions) => {
      const settings = serveSettings(options);
      const onListening = (address: string) => {
        console.log(`Rollcall serves ${settings.dbShown} at ${address} (reference: ${address}/docs)`);
      };
      // Loaded late, because doctor loads this file only for its options.
      if (settings.processes > 1) {
        const { serveOnProcesses } = await import("../serving/processes.ts");
        await serveOnProcesses(settings, onListening);
      } else {
        const { runServer } = await import("../serving/run-server.ts");
        await runServer(settings, onListening);
      }
    });
}
