// npm run bench: see docs/performance.md.
import { benchData } from "./data/build.ts";
import { machine, requireTools } from "./machine.ts";
import { MEASURES } from "./measures.ts";
import { report } from "./report.ts";
import { runRounds } from "./rounds.ts";

const log = (line: string) => console.error(line);

const isQuick = process.argv.includes("--quick");
const only = process.argv
  .find((one) => one.startsWith("--only="))
  ?.slice("--only=".length)
  .split(",");

requireTools();
const data = await benchData(log);
const measures = MEASURES.filter(({ id, quick }) =>
  only === undefined ? quick || !isQuick : only.includes(id),
);
const plan = isQuick
  ? { rounds: 3, seconds: 2, warmUpSeconds: 1 }
  : { rounds: 5, seconds: 5, warmUpSeconds: 2 };
const results = await runRounds(data, measures, plan, log);
console.log(report(machine(), measures, results).table);
