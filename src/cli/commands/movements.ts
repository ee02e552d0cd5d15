// rollcall movements · rollcall expirations: how balances changed in a period, and the time off that will expire, without a server.
import type { Command } from "commander";
import Papa from "papaparse";
import { divide, multiply, rational, toHundredths } from "../../balances/rational.ts";
import { expirationsList, movementsList } from "../../http/routes/movements.ts";
import { compareKeys, rowId } from "../../resources/ids.ts";
import { type Expiration, MOVEMENTS, type Movement } from "../../resources/movements.ts";
import { nameOf, type Worker } from "../../resources/workers.ts";
import type { CompanyReader } from "../../store/store.ts";
import { CliFailure } from "../failure.ts";
import { parseDate, readText } from "../options.ts";
import { everything, namedIn, ShowCommand, type ShowOptions, show, withCompany } from "./list-objects.ts";

interface Options extends ShowOptions {
  readonly from?: string;
  readonly to?: string;
  readonly groupBy?: string;
  readonly after?: string;
  readonly rates?: string;
}

function spanCommand(name: string, description: string, from: string, to: string, example: string): Command {
  return new ShowCommand(name)
    .description(description)
    .option("--from <date>", `the first day, YYYY-MM-DD (default: ${from})`)
    .option("--to <date>", `the last day (default: ${to})`)
    .examples(example);
}

function queryOf({ from, to }: Options): URLSearchParams {
  const query = new URLSearchParams();
  if (from !== undefined) query.set("from", parseDate("--from", from));
  if (to !== undefined) query.set("to", parseDate("--to", to));
  return query;
}

/** Functions that turn the id of a worker or policy into two cells: the id and the name. */
async function cellsFor(company: CompanyReader) {
  const { workers, policies } = await namedIn(company);
  const nameFor = (worker: Worker | undefined) => (worker === undefined ? null : nameOf(worker));
  return {
    workers,
    worker: (id: string | null) => [id, nameFor(workers.get(id))] as const,
    policy: (id: string | null) => [id, policies.get(id)?.name ?? null] as const,
  };
}

export function movementsCommand(): Command {
  return spanCommand(
    "movements",
    "Show how balances changed between two days, in minutes, without a server. Each row adds up.",
    "the first of the month of --to",
    "today, UTC",
    "rollcall movements --company acme --from 2026-11-01 --to 2026-11-30 --group-by policy,worker --csv",
  )
    .option("--group-by <names>", "policy, department, worker, with commas (default: policy)")
    .option(
      "--after <close>",
      "begin with the figures of a close; restated is what became known since (docs/record.md)",
    )
    .option("--rates <file>", "a CSV file of worker, amountPerHour, currency: adds the value of each balance")
    .action(async (options: Options) => {
      const groups = (options.groupBy ?? "policy").split(",");
      const query = queryOf(options);
      if (options.after !== undefined) query.set("after", options.after);
      query.set("groupBy", (options.rates === undefined ? groups : [...groups, "worker"]).join());
      const [movements, names] = await withCompany(options, async (company, today) => [
        await everything<Movement>(company, movementsList, today, query),
        await cellsFor(company),
      ]);
      const isPriced = options.rates !== undefined;
      const rows = isPriced
        ? priced(movements, ratesOf(options.rates, [...names.workers.values()]), groups)
        : movements;
      const columns = ["worker", "name", "policy", "policy name", "department", "paid out", "has left"];
      const cells = rows.map((row: Priced) => [
        ...names.worker(row.workerId),
        ...names.policy(row.policyId),
        ...[row.department, row.isPaidOut ? "yes" : "no", row.hasLeft ? "yes" : "no"],
        ...MOVEMENTS.map((name) => row[name]),
        ...(isPriced ? [row.amount ?? null, row.currency ?? null] : []),
      ]);
      await show(
        options,
        rows,
        [...columns, ...MOVEMENTS, ...(isPriced ? ["amount", "currency"] : [])],
        cells,
      );
    });
}

interface Rate {
  readonly perHour: number;
  readonly currency: string;
}

type Priced = Movement & { amount?: number | null; readonly currency?: string | null };

/** An amount of money: digits, with a decimal point if needed. */
const AMOUNT = /^\d+(\.\d+)?$/;

/** The hourly rate of each worker, by worker id. Only this command knows money. Raises CliFailure for a wrong or ambiguous row. */
function ratesOf(file: string, workers: readonly Worker[]): ReadonlyMap<string | null, Rate> {
  const ids = new Map(workers.flatMap(({ id, legacyId }) => [[id, id] as const, [legacyId, id] as const]));
  const text = readText("--rates", file).replace("\ufeff", "");
  const parse = { header: true, skipEmptyLines: true, transform: (cell: string) => cell.trim() } as const;
  const { data, errors, meta } = Papa.parse<Record<string, string>>(text, parse);
  if (errors.some(({ type }) => type === "Quotes"))
    throw new CliFailure(`${file} has a quote that does not end, or text after one: correct the quotes`);
  const [twice] = Object.values(meta.renamedHeaders ?? {});
  if (twice !== undefined) throw new CliFailure(`${file} has the column ${twice} twice: leave one`);
  const rates = new Map<string, Rate>();
  for (const [at, { worker = "", amountPerHour = "", currency = "" }] of data.entries()) {
    const id = ids.get(worker);
    const mistakes = [
      errors.some(({ row }) => row === at) && "it has more or fewer cells than the heading",
      id === undefined && `worker "${worker}" is nobody`,
      id !== undefined && rates.has(id) && `worker "${worker}" has a rate above`,
      !(AMOUNT.test(amountPerHour) && currency !== "") && `"${amountPerHour} ${currency}" is no rate`,
    ];
    const wrong = mistakes.find((mistake) => mistake !== false);
    if (wrong !== undefined)
      throw new CliFailure(
        `${file}, row ${at + 1}: ${wrong}: give the columns worker (an id, once), amountPerHour (such as 25.5), currency`,
      );
    rates.set(id!, { perHour: Number(amountPerHour), currency }); // without an id there is a mistake
  }
  return rates;
}

/** Movements with amounts of money, by `groups` and currency. No amount without a rate, or under a policy that is not paid out. */
function priced(rows: readonly Movement[], rates: ReturnType<typeof ratesOf>, groups: readonly string[]) {
  const sums = new Map<string, { readonly key: readonly string[]; readonly sum: Priced }>();
  const without = new Set<string | null>();
  for (const row of rows) {
    const rate = row.isPaidOut ? (rates.get(row.workerId) ?? null) : null;
    if (row.isPaidOut && rate === null) without.add(row.workerId);
    const amount =
      rate && toHundredths(divide(multiply(rational(row.earned), rational(rate.perHour)), 60)) / 100;
    const workerId = groups.includes("worker") ? row.workerId : null;
    const currency = rate?.currency ?? null;
    const parts = [workerId, row.policyId, row.department, row.isPaidOut, row.hasLeft, currency];
    const key = parts.map((part) => String(part ?? ""));
    const group = sums.get(key.join("\0"));
    if (group === undefined) {
      const sum = { ...row, id: rowId("movement", key), workerId, amount, currency };
      sums.set(key.join("\0"), { key, sum });
      continue;
    }
    for (const name of MOVEMENTS) group.sum[name] = plus(group.sum[name], row[name]);
    if (amount !== null) group.sum.amount = plus(group.sum.amount ?? 0, amount);
  }
  if (without.size > 0)
    console.error(`rollcall: ${without.size} workers have no rate: their rows have no amount`);
  return [...sums.values()].toSorted((a, b) => compareKeys(a.key, b.key)).map(({ sum }) => sum);
}

const plus = (a: number, b: number) => (Math.round(a * 100) + Math.round(b * 100)) / 100;

export function expirationsCommand(): Command {
  return spanCommand(
    "expirations",
    "Show what will be lost and when, in minutes, if only approved leave is taken. Needs no server.",
    "today, UTC",
    "a year after --from",
    "rollcall expirations --company acme --to 2026-12-31 --csv",
  ).action(async (options: Options) => {
    const [expirations, names] = await withCompany(options, async (company, today) => [
      await everything<Expiration>(company, expirationsList, today, queryOf(options)),
      await cellsFor(company),
    ]);
    const cells = expirations.map(({ workerId, policyId, date, minutes, cause }) => [
      ...[date, ...names.worker(workerId)],
      ...[...names.policy(policyId), minutes, cause],
    ]);
    await show(
      options,
      expirations,
      ["date", "worker", "name", "policy", "policy name", "minutes", "cause"],
      cells,
    );
  });
}
