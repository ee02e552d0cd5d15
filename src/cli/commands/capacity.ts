// rollcall capacity: what people can work, without a server.
import type { Command } from "commander";
import { capacityList } from "../../http/routes/capacity.ts";
import { CAPACITY_MINUTES, type Capacity } from "../../resources/capacity.ts";
import { nameOf } from "../../resources/workers.ts";
import { parseDate } from "../options.ts";
import {
  everything,
  namedIn,
  type OfWorkers,
  ofWorkers,
  ofWorkersOptions,
  ShowCommand,
  type ShowOptions,
  show,
  withCompany,
} from "./list-objects.ts";

interface Options extends ShowOptions, OfWorkers {
  readonly from?: string;
  readonly to?: string;
  readonly by?: string;
  readonly groupBy?: string;
}

export function capacityCommand(): Command {
  const command = new ShowCommand("capacity");
  for (const option of ofWorkersOptions()) command.addOption(option);
  return command
    .description("Show what people can work, by days, weeks or months, in minutes, without a server.")
    .option("--from <date>", "the first day, YYYY-MM-DD (default: today, UTC)")
    .option("--to <date>", "the last day (default: six days later)")
    .option("--by <period>", "day, week or month (default: week)")
    .option("--group-by <name>", "department or worker (default: all people together)")
    .examples(
      "rollcall capacity --company acme --from 2026-11-01 --to 2026-11-30 --group-by department --csv",
    )
    .action(async (options: Options) => {
      const date = (name: "from" | "to") =>
        options[name] === undefined ? undefined : parseDate(`--${name}`, options[name]);
      const { by, groupBy } = options;
      const query = ofWorkers(options, { from: date("from"), to: date("to"), by, groupBy });
      const [capacities, { workers }] = await withCompany(options, async (company, today) => [
        await everything<Capacity>(company, capacityList, today, query),
        await namedIn(company),
      ]);
      const rows = capacities.map(({ workerId, ...row }) => {
        const worker = workers.get(workerId);
        return [
          ...[row.from, row.to, workerId, worker === undefined ? null : nameOf(worker)],
          ...[row.departmentId, row.department, row.workers, row.assumedWorkers],
          ...CAPACITY_MINUTES.map((name) => row[name]),
        ];
      });
      const columns = [
        "from",
        "to",
        "worker",
        "name",
        "departmentId",
        "department",
        "workers",
        "without schedule",
      ];
      await show(options, capacities, [...columns, ...CAPACITY_MINUTES], rows);
    });
}
