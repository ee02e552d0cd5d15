// A soak test of stops. In each round, a server with 24 callers is told to stop at a random moment. Every request that was sent must get
// its response. `bun bench/stop-under-load.ts --rounds 50`; exit code 1 if a response was dropped.
import { parseArgs } from "node:util";
import { stopUnderLoad } from "../test/cli/faults/stop.ts";
import { withStoreFolder } from "../test/cli/faults/store-folder.ts";

const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "50" } } });
const total = { rounds: 0, responded: 0, shed: 0, refused: 0, dropped: 0, badExits: 0 };

await withStoreFolder(async (storeFolder) => {
  while (total.rounds < Number(options.rounds)) {
    const { exitCode, ...counts } = await stopUnderLoad(storeFolder, 50 + Math.random() * 1000);
    total.rounds++;
    if (exitCode !== 0) total.badExits++;
    for (const name of ["responded", "shed", "refused", "dropped"] as const) total[name] += counts[name];
  }
});
console.log(JSON.stringify(total));
process.exitCode = total.dropped + total.badExits === 0 ? 0 : 1;
