// Imports into the company "acme" of the store at an address, in a process of its own. `held NAME` adds a worker, says so, and
// commits once its input ends. `loop COUNT SEED` changes, adds and removes random rows, so often.
import { openWriteStore } from "../../src/cli/open.ts";
import { makeFacts, randomOf } from "../support/random-rows.ts";
import { workerRow } from "../support/rows.ts";
import { change } from "../support/stores.ts";

const [db, mode, first, second] = process.argv.slice(2) as [string, string, string, string | undefined];
const store = await openWriteStore(db);
if (mode === "held") {
  await change(store, "acme", async (transaction) => {
    await transaction.put("workers", [workerRow(first)]);
    console.log("written");
    await Bun.stdin.text();
  });
} else {
  const random = randomOf(Number(second));
  const { requests } = makeFacts(Number(second), 40);
  for (let count = Number(first); count > 0; count--) {
    await change(store, "acme", async (transaction) => {
      const some = requests.filter(() => random(10) === 0);
      await transaction.remove(
        "requests",
        some.filter((_, at) => at % 2 === 0).map(({ id }) => [id]),
      );
      const others = some.filter((_, at) => at % 2 === 1);
      await transaction.put(
        "requests",
        others.map((row) => ({ ...row, minutes: count, doc: JSON.stringify({ id: row.id, count }) })),
      );
    });
  }
}
await store.close();
