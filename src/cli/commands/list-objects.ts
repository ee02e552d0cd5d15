// rollcall workers list · rollcall balances: what is stored, for operators, without a server or a key.
import type { Command } from "commander";
import { csvText } from "../../csv-file.ts";
import { atMoment, type Moment, momentOf } from "../../http/known-on.ts";
import { HttpProblem } from "../../http/problems.ts";
import { parsed, readAll } from "../../http/read-all.ts";
import { balancesList } from "../../http/routes/balances.ts";
import { pagesOf, type Route } from "../../http/routes/route.ts";
import { passportHtml } from "../../passport/html.ts";
import { passportOf } from "../../passport/passport.ts";
import { replaceFile } from "../../replace-file.ts";
import type { Balance } from "../../resources/balances.ts";
import { foldEmail } from "../../resources/cells.ts";
import { ENDPOINTS } from "../../resources/endpoints.ts";
import type { Policy } from "../../resources/policies.ts";
import { known, type ParameterError, parseQuery } from "../../resources/query.ts";
import { csvColumns } from "../../resources/resource.ts";
import { nameOf, type Worker } from "../../resources/workers.ts";
import { type CompanyReader, type ReadStore, unknownCompany } from "../../store/store.ts";
import { dayOfText, formatDay, utcDayOf } from "../../time/day.ts";
import { ENGLISH, LANGUAGES, type Tongue, tongueOf } from "../../web/texts/languages.ts";
import { CliFailure, UsageError } from "../failure.ts";
import { withReadStore } from "../open.ts";
import {
  FLAG_VALUES,
  option,
  ownOption,
  parseDate,
  RollcallCommand,
  StoreCommand,
  type StoreOptions,
  withChoices,
} from "../options.ts";
import { table, writeRaw } from "../output.ts";

export interface CompanyOptions extends StoreOptions {
  readonly company: string;
  readonly knownOn?: string;
}

export interface ShowOptions extends CompanyOptions {
  readonly csv?: boolean | "excel";
  readonly xlsx?: string;
}

/** A command that shows rows of a company: as a table, or as a file for a spreadsheet. */
export class RowsCommand extends StoreCommand {
  constructor(name: string) {
    super(name);
    const csv = "write CSV; --csv=excel adds the byte order mark that Excel needs";
    this.addOption(option("company").makeOptionMandatory())
      .option("--csv [for]", csv, csvForm)
      .option("--xlsx <file>", "write a workbook");
  }
}

/** The same for rows with a history, which closes lack: it adds `--known-on`. */
export class ShowCommand extends RowsCommand {
  constructor(name: string) {
    super(name);
    this.addOption(knownOnOption());
  }
}

export function knownOnOption() {
  return ownOption(
    "--known-on <date>",
    "what was known at the end of this day, YYYY-MM-DD, or at this date-time (docs/record.md)",
  );
}

function csvForm(text: string): boolean | "excel" {
  const form = text === "excel" ? text : FLAG_VALUES[text.toLowerCase()];
  if (form === undefined)
    throw new UsageError(
      `--csv: "${text}" is not a form of CSV: use --csv, or --csv=excel for a spreadsheet`,
    );
  return form;
}

/** The columns of a worker that fit a terminal. The other formats have all columns. */
const IN_TERMINAL =
  "id,displayName,legacyId,department.name,manager.displayName,status,type,startDate,endDate".split(",");

export function workersCommand(): Command {
  return new RollcallCommand("workers")
    .description("Show the workers of a company, without a server.")
    .examples("rollcall workers list --company acme")
    .addCommand(
      new ShowCommand("list")
        .description(
          "List the workers of a company: their main columns, and all of them with --csv, --xlsx or --json.",
        )
        .examples("rollcall workers list --company acme --csv > workers.csv")
        .action(async (options: ShowOptions) => {
          const workers = await withCompany(options, (company) => readAll<Worker>(company, "workers", {}));
          const all = csvColumns(ENDPOINTS.workers.list);
          const columns =
            options.csv || options.xlsx
              ? all
              : IN_TERMINAL.flatMap((name) => all.find((column) => column.name === name) ?? []);
          const rows = workers.map((worker) => columns.map(({ of }) => cellOf(of({ ...worker }))));
          await show(
            options,
            workers,
            columns.map(({ name }) => name),
            rows,
          );
        }),
    )
    .addCommand(workerShowCommand());
}

/** Shows everything that is stored about a worker, as JSON or as a passport. */
function workerShowCommand(): Command {
  return new StoreCommand("show")
    .description(
      "Show everything that is stored of a worker, or write it as a leave passport: one HTML file.",
    )
    .argument("<worker>", "an id, an id of the source system, or an address")
    .addOption(option("company").makeOptionMandatory())
    .option("--out <file>", "write the passport, which computes the balances offline")
    .addOption(
      withChoices(
        ownOption(
          "--language <language>",
          "of the passport, such as de or de-AT (default: that of LANG, else English)",
        ),
        LANGUAGES,
      ),
    )
    .examples("rollcall workers show ana@acme.example --company acme --out ana.html")
    .action(
      async (name: string, options: ShowOptions & { readonly out?: string; readonly language?: string }) => {
        if (options.language !== undefined && options.out === undefined)
          throw new UsageError("--language is the language of a passport: give its file with --out");
        const tongue = tongueFor(options.language);
        const passport = await withCompany(options, async (company, today) => {
          const worker = await workerNamed(company, name);
          return (await passportOf(company, worker.id, dayOfText(today)))!; // the worker exists
        });
        if (options.out === undefined) console.log(JSON.stringify(passport, null, 2));
        else {
          writePrivateFile("--out", options.out, await passportHtml(passport, tongue));
          console.error(`rollcall: ${options.out} is the leave passport of ${nameOf(passport.worker)}`);
        }
      },
    );
}

/** The language of `--language`, else of the environment, else English. Raises UsageError for one that we lack. */
function tongueFor(asked: string | undefined): Tongue {
  const tongue = tongueOf([asked ?? process.env.LANG?.replace(/[.@].*/, "").replace("_", "-") ?? ""]);
  if (tongue === null && asked !== undefined)
    throw new UsageError(
      `--language: "${asked}" is no language of Rollcall: use one of ${LANGUAGES.join(", ")}`,
    );
  return tongue ?? ENGLISH;
}

/** The worker with this id, legacy id or address. Raises CliFailure for no match or several. */
export async function workerNamed(company: CompanyReader, name: string): Promise<Worker> {
  const folded = foldEmail(name);
  const isNamed = ({ id, legacyId, email, workEmail }: Worker) =>
    id === name ||
    legacyId === name ||
    [email, workEmail].some((address) => address !== null && foldEmail(address) === folded);
  const workers = (await readAll<Worker>(company, "workers", {})).filter(isNamed);
  return onlyOne(workers, name, {
    one: "worker's id, id of the source system, or address: see rollcall workers list",
    several: "workers",
  });
}

/** The policy with this id, legacy id or name. Raises CliFailure for no match or several. */
export async function policyNamed(company: CompanyReader, name: string): Promise<Policy> {
  const all = await readAll<Policy>(company, "policies", {});
  const policies = all.filter((policy) => [policy.id, policy.legacyId, policy.name].includes(name));
  return onlyOne(policies, name, {
    one: `policy's id, id of the source system, or name: the company has ${all.map((policy) => policy.name).join(", ") || "no policies"}`,
    several: "policies",
  });
}

function onlyOne<T extends { readonly id: string }>(
  matches: readonly T[],
  name: string,
  nouns: { readonly one: string; readonly several: string },
): T {
  if (matches.length === 1) return matches[0]!;
  throw new CliFailure(
    matches.length === 0
      ? `"${name}" is no ${nouns.one}`
      : `"${name}" is several ${nouns.several}: give one of the ids ${matches.map(({ id }) => id).join(", ")}`,
  );
}

/** Options that limit a list to some workers. */
export interface OfWorkers {
  readonly departments?: string;
  readonly managers?: string;
}

export const ofWorkersOptions = () => [
  ownOption("--departments <ids>", "only workers of these departments, with commas"),
  ownOption("--managers <ids>", "only workers who report to these, with commas"),
];

/** A query with these values and filters of workers. */
export function ofWorkers(
  { departments, managers }: OfWorkers,
  values: Readonly<Record<string, string | undefined>>,
): URLSearchParams {
  const query = new URLSearchParams();
  const all = { ...values, departmentIds: departments, managerIds: managers };
  for (const [name, value] of Object.entries(all)) if (value !== undefined) query.set(name, value);
  return query;
}

export function balancesCommand(): Command {
  const command = new ShowCommand("balances");
  command.option("--on <date>", "the day, YYYY-MM-DD (default: today, UTC)");
  for (const option of ofWorkersOptions()) command.addOption(option);
  return command
    .description("Show everybody's balances on a day, in minutes, without a server.")
    .addHelpText(
      "after",
      "\nThe balance includes locked time; used and pending leave are subtracted. Available is the part that can be taken: no locked time, and at most what a cap on use allows.",
    )
    .examples("rollcall balances --company acme --on 2026-12-31 --csv > balances.csv")
    .action(async (options: ShowOptions & OfWorkers & { readonly on?: string }) => {
      const on = options.on === undefined ? null : parseDate("--on", options.on);
      const [balances, { workers, policies }] = await withCompany(options, async (company, today) => [
        await everything<Balance>(company, balancesList, today, ofWorkers(options, { endDate: on ?? today })),
        await namedIn(company),
      ]);
      const rows = balances.map((balance) => {
        const { workerId, policyId, available, accruedLocked, used, holds } = balance;
        const worker = workers.get(workerId);
        const policy = policies.get(policyId);
        return [
          workerId,
          worker?.legacyId ?? null,
          worker === undefined ? null : nameOf(worker),
          policyId,
          policy?.name ?? null,
          policy?.isUnlimited === true ? 0 : leftOf(balance),
          available,
          accruedLocked,
          used,
          holds,
        ];
      });
      await show(options, balances, BALANCE_COLUMNS, rows);
    });
}

const BALANCE_COLUMNS = "worker,legacyId,name,policy,policy name,balance,available,locked,used,pending".split(
  ",",
);

/** Accrued minutes, locked and unlocked, less used and pending leave; to 0.01 minute. */
function leftOf({ accruedUnlocked, accruedLocked, used, holds }: Balance): number {
  return Math.round((accruedUnlocked + accruedLocked - used - holds) * 100) / 100;
}

type Cell = string | number | null;

function cellOf(value: unknown): Cell {
  if (value === null || typeof value === "number" || typeof value === "string") return value;
  return Array.isArray(value) ? value.join(" ") : String(value);
}

/** Without this mark, Excel reads CSV in its old encoding and breaks "Núñez". */
const BYTE_ORDER_MARK = "\ufeff";

export async function show(
  { csv, json, xlsx }: ShowOptions,
  objects: readonly unknown[],
  columns: readonly string[],
  rows: readonly Cell[][],
): Promise<void> {
  if (xlsx !== undefined) {
    if (csv || json) throw new UsageError("--xlsx writes a file: leave out --csv and --json");
    await writeWorkbook(xlsx, columns, rows);
  } else if (json) console.log(JSON.stringify(objects, null, 2));
  else if (csv) {
    const text = csvText([columns, ...rows], { newline: "\n", guarded: true });
    writeRaw(csv === "excel" ? BYTE_ORDER_MARK + text : text);
    if (csv === true && process.stderr.isTTY && !process.stdout.isTTY)
      console.error(
        "rollcall: note: for a spreadsheet, use --csv=excel or --xlsx FILE: names stay whole there",
      );
  } else if (rows.length === 0) console.log("There is nothing yet.");
  else {
    const used = columns.map((_, at) => rows.some((row) => row[at] !== null && row[at] !== ""));
    const shown = <T>(cells: readonly T[]) => cells.filter((_, at) => used[at]);
    console.log(table(shown(columns), rows.map(shown)));
  }
}

/** Writes a workbook that only its owner may read. No text becomes a formula. Raises CliFailure. */
async function writeWorkbook(
  file: string,
  columns: readonly string[],
  rows: readonly Cell[][],
): Promise<void> {
  const { default: writeXlsxFile } = await import("write-excel-file/node");
  const bold = columns.map((value) => ({ value, fontWeight: "bold" as const }));
  const cells = rows.map((row) => row.map((value) => (value === null ? null : { value })));
  const bytes = await writeXlsxFile([bold, ...cells], { stickyRowsCount: 1 }).toBuffer();
  writePrivateFile("--xlsx", file, bytes);
}

/** Writes a file that only its owner may read, as a whole or not at all. Raises CliFailure. */
function writePrivateFile(option: string, file: string, content: Uint8Array | string): void {
  try {
    replaceFile(file, content);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new CliFailure(
      `${option}: ${file} cannot be written (${error.code}): check its folder, its permissions and the free space of the disk`,
    );
  }
}

/**
 * Calls `work` with the company, as it is now or was known at `--known-on`, and with the current day of that time, `YYYY-MM-DD`. `work`
 * sees one version of the data. It must only read, because it runs again if an import ends meanwhile.
 */
export async function withCompany<T>(
  { db, company, knownOn }: CompanyOptions,
  work: (company: CompanyReader, today: string) => Promise<T>,
): Promise<T> {
  return withReadStore(db, async (store) => {
    if ((await store.version(company)) === null) throw unknownCompany(company);
    return await atMoment(
      () => momentIn(store, company, knownOn),
      ({ revision, today }) =>
        store.company(company, undefined, revision).atOneVersion((reader) => work(reader, today)),
    );
  }).catch((error) => {
    throw error instanceof HttpProblem ? new CliFailure(error.detail) : error;
  });
}

async function momentIn(store: ReadStore, company: string, knownOn: string | undefined): Promise<Moment> {
  const query = parseQuery(known, new URLSearchParams(knownOn === undefined ? {} : { knownOn }));
  if (!query.ok) throw new UsageError(`--known-on: ${query.errors[0]!.detail}`);
  return momentOf(store, company, query.values, formatDay(utcDayOf(Date.now()))).catch((error) => {
    if (error instanceof HttpProblem) throw new CliFailure(error.detail.replace("knownOn", "--known-on"));
    throw error;
  });
}

/** A company's workers and policies by id, to show names beside ids. */
export async function namedIn(company: CompanyReader) {
  const workers = await readAll<Worker>(company, "workers", {});
  return {
    workers: new Map<string | null, Worker>(workers.map((worker) => [worker.id, worker])),
    policies: await policiesIn(company),
  };
}

export async function policiesIn(company: CompanyReader) {
  const policies = await readAll<Policy>(company, "policies", {});
  return new Map<string | null, Policy>(policies.map((policy) => [policy.id, policy]));
}

/** Options by the API's parameter of the same meaning. */
const FLAGS: Readonly<Record<string, string>> = {
  groupBy: "group-by",
  departmentIds: "departments",
  managerIds: "managers",
  workerId: "worker",
  policyId: "policy",
  startAt: "from",
  endAt: "to",
};

/** The errors of parameters, with the names of their options. */
export function badOptions(
  errors: readonly ParameterError[],
  own: Readonly<Record<string, string>> = {},
): CliFailure {
  const nameOf = (parameter: string) => own[parameter] ?? FLAGS[parameter] ?? parameter;
  return new CliFailure(
    errors.map(({ parameter, detail }) => `--${nameOf(parameter)}: ${detail}`).join("; "),
  );
}

/** All objects of a computed list. */
export async function everything<T>(
  company: CompanyReader,
  route: Route,
  today: string,
  filters: URLSearchParams | string = "",
): Promise<T[]> {
  const query = parseQuery(route.contract.parameters, new URLSearchParams(filters), (values) =>
    route.crossFieldErrors(values, today),
  );
  if (!query.ok) throw badOptions(query.errors, { endDate: "on" });
  const objects: T[] = [];
  for await (const { docs } of pagesOf(route, company, query.values, today))
    for (const doc of docs) objects.push(parsed<T>(doc));
  return objects;
}
