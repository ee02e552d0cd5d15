// rollcall import
import { basename, dirname } from "node:path";
import type { Command, Option } from "commander";
import { DEFAULT_QUARANTINE_LIMIT, writeQuarantine } from "../../import/bad-rows.ts";
import { readMapping } from "../../import/convert/mapping-file.ts";
import type { LoadedMapping } from "../../import/convert/schema.ts";
import { importCompany } from "../../import/import-company.ts";
import { EXPECTED, FINDING_CODES, FindingsRefused, findingText } from "../../import/load/findings.ts";
import type { QueryLimits } from "../../import/read/query-thread.ts";
import { findSources, pathsOf, type Source } from "../../import/read/sources.ts";
import {
  failureRecord,
  type ImportOrigin,
  type ImportReport,
  importRecord,
  type PulledFiles,
  type QuarantinedRow,
} from "../../import/report.ts";
import { ImportRefused } from "../../import/row-errors.ts";
import { PRESET_MAPPINGS } from "../../onboarding/presets/index.ts";
import { readRecord } from "../../pull/record.ts";
import { KINDS } from "../../resources/kinds.ts";
import type { Erasure } from "../../store/store.ts";
import { dayOfText, utcDayOf } from "../../time/day.ts";
import { CliFailure, UsageError } from "../failure.ts";
import { gateTables } from "../import-records.ts";
import { openWriteStore, withWriteStore } from "../open.ts";
import {
  option,
  ownOption,
  parseChoices,
  parseDate,
  parseShare,
  parseSpan,
  parseWhole,
  StoreCommand,
  type StoreOptions,
  type WaitOptions,
  waitingOf,
  waitOption,
} from "../options.ts";
import { print, type ShowProgress, table } from "../output.ts";
import { programName, version, within, withProgress } from "../program.ts";
import { checkCompany, leftOf } from "./companies.ts";

/** The time limit for recording a failed import: if its database is unavailable, a pooler can hold a statement for minutes. */
const NOTE_TIMEOUT_MS = 5000;

/** The exit code if rows were put into quarantine, and all others imported. */
const EXIT_QUARANTINED = 3;

export interface ImportCommandOptions extends QueryOptions, StoreOptions, WaitOptions {
  readonly company: string;
  readonly map?: string;
  readonly dryRun?: boolean;
  readonly prune?: boolean;
  readonly allowRemovals: string;
  readonly allowOlder?: boolean;
  readonly rulesFrom?: string;
  readonly quiet?: boolean;
  readonly strict?: boolean;
  readonly accept?: readonly string[];
  readonly quarantine?: string;
  readonly quarantineLimit: string;
  readonly keepRemovals: string;
}

export interface QueryOptions {
  readonly queryTimeout?: string;
  readonly queryMemory?: string;
}

export function importCommand(): Command {
  return new StoreCommand("import")
    .description("Load a company from files. If any row is bad, nothing is changed.")
    .argument("<paths...>", `a folder, or files: ${KINDS.join(", ")} (.csv, .jsonl, .xlsx …)`)
    .addOption(option("company").makeOptionMandatory())
    .addOption(mapOption())
    .option("--dry-run", "check everything and change nothing")
    .option("--prune", "also remove what the given files no longer contain")
    .option(
      "--allow-removals <share>",
      "the share of a kind's rows that pruning may remove, such as 40%; up to ten rows may always be removed",
      "10%",
    )
    .option("--allow-older", "import files that are older than those imported before")
    .option("--rules-from <date>", "changed rules of policies apply from this day on (YYYY-MM-DD)")
    .option("--quiet", "send no events to hooks for this import")
    .option("--strict", "refuse data that is allowed but probably wrong")
    .option(
      "--accept <code>",
      "do not report this finding; may be repeated, or be a list with commas",
      (text, before: readonly string[] = []) => [...before, ...text.split(",")],
    )
    .option("--quarantine <file>", "write bad rows to this file (JSON lines) and load the others")
    .option(
      "--quarantine-limit <rows>",
      "refuse the import if more rows than this are bad",
      String(DEFAULT_QUARANTINE_LIMIT),
    )
    .option(
      "--keep-removals <duration>",
      "how long the change feed reports removed objects, by id only; 0 for not at all",
      "90d",
    )
    .addOption(waitOption())
    .addOption(queryTimeoutOption())
    .addOption(queryMemoryOption())
    .examples(
      "rollcall import ./export --company acme                       a folder of files",
      "rollcall import workers.csv requests.jsonl --company acme     some files",
      "rollcall import ./export --company acme --dry-run --prune     what would a nightly import change?",
      "rollcall import ./export --company acme --prune --strict      every night",
      "rollcall import ./hr --company acme --map personio            the export of a known system",
      "rollcall import ./hr --company acme --map hr.map.json         the files of any other system",
      "rollcall import ./hr --company acme --quarantine bad.jsonl    load the good rows, write the bad ones to a file",
    )
    .addHelpText(
      "after",
      `
Exit codes: 0 imported, 1 refused (nothing changed), 2 wrong usage, 3 imported except for rows in quarantine.
The files and their fields: docs/importing.md; mappings: docs/mapping.md`,
    )
    .action(async (paths: string[], options: ImportCommandOptions) => {
      process.exitCode = printImport(await importFiles(paths, options), options);
    });
}

export function mapOption(): Option {
  return ownOption(
    "--map <file or preset>",
    "a mapping (JSON) for the files of another system, or the name of a preset: rollcall map presets",
  );
}

const QUERY_TIMEOUT = "10m";
const QUERY_MEMORY_MB = "100";

export function queryTimeoutOption(): Option {
  return ownOption("--query-timeout <duration>", "how long a query of the mapping may run").default(
    QUERY_TIMEOUT,
  );
}

export function queryMemoryOption(): Option {
  return ownOption("--query-memory <MB>", "how much memory a query of the mapping may take").default(
    QUERY_MEMORY_MB,
  );
}

export function queryLimits({ queryTimeout, queryMemory }: QueryOptions): QueryLimits {
  return {
    timeoutMs: parseSpan("--query-timeout", queryTimeout ?? QUERY_TIMEOUT),
    memoryBytes: parseWhole("--query-memory", queryMemory ?? QUERY_MEMORY_MB, 1, 1_000_000) * 1024 * 1024,
  };
}

/** Set by a command that runs an import itself, such as sync. */
export interface ImportAbout {
  /** The command, as it can be typed again. */
  readonly command?: string;
  /** Days since 1970. */
  readonly today?: number;
}

export interface EndedImport {
  /** Null if the import failed; the store then has a record of the failure. */
  readonly report: ImportReport | null;
  readonly error: unknown;
  /** Texts: what was not imported or not pruned, and why. */
  readonly notes: readonly string[];
  /** Whether bytes of removed rows remain; null if the store could not be opened. */
  readonly erasure: Erasure | null;
}

/** Imports files as the options say. Prints progress, and a note if it waits for another command. Raises UsageError for wrong options. */
export async function importFiles(
  paths: readonly string[],
  options: ImportCommandOptions,
  about: ImportAbout = {},
): Promise<EndedImport> {
  // An empty variable accepts nothing.
  const accepted = new Set(parseChoices("--accept", (options.accept ?? []).filter(Boolean), FINDING_CODES));
  const limit = parseWhole("--quarantine-limit", options.quarantineLimit, 1, 1_000_000);
  const allowedRemovals = parseShare("--allow-removals", options.allowRemovals);
  const limits = queryLimits(options);
  const rulesFrom =
    options.rulesFrom === undefined ? undefined : dayOfText(parseDate("--rules-from", options.rulesFrom));
  const waiting = waitingOf(options);
  const { quarantine, keepRemovals } = options;
  const keepRemovalsMs =
    keepRemovals === "0" ? 0 : parseSpan("--keep-removals", keepRemovals, ", or 0 to keep none");
  if (quarantine === "") throw new UsageError("--quarantine is empty: name a file");
  const origin: ImportOrigin = {
    command: about.command ?? commandText(importCommand(), paths, options),
    mapping: options.map ?? null,
    version,
  };
  let isEnding = false;
  /** False while the command line is checked: a mistyped path or mapping is not recorded as a failed import. */
  let hasBegun = false;
  const outcome = () =>
    isEnding && !options.dryRun
      ? `the import was about to end: rollcall companies show ${options.company} tells whether it was stored`
      : "nothing was imported";
  let notes: readonly string[] = [];
  let erasure: Erasure | null = null;
  const work = async (show: ShowProgress): Promise<ImportReport> => {
    const loaded = options.map === undefined ? null : await mappingAt(options.map);
    const { sources, notes: ofSources, unread } = await findSources(paths, loaded, options.prune === true);
    if (options.prune === true) refusePartOfPull(paths);
    const pulled = pulledFiles(paths, sources);
    notes = [...ofSources, ...(pulled?.notes ?? [])];
    await using store = await openWriteStore(options.db);
    try {
      await checkCompany(store, options.company); // an unknown company is reported before bad files
      hasBegun = true;
      return await importCompany(store, options.company, sources, {
        isDryRun: options.dryRun === true,
        isPruning: options.prune === true,
        allowedRemovals,
        mayBeOlder: options.allowOlder === true,
        rulesFrom,
        writing: { isQuiet: options.quiet === true, ...waiting },
        unread,
        pulled,
        today: about.today ?? utcDayOf(Date.now()),
        nowMs: Date.now(),
        isStrict: options.strict === true,
        accepted,
        keepRemovalsMs,
        queryLimits: limits,
        quarantine:
          quarantine === undefined
            ? undefined
            : { limit, write: (rows) => quarantineOrFail(quarantine, rows) },
        program: programName(),
        record: (done) => {
          isEnding = true;
          return JSON.stringify(importRecord(origin, done, Date.now(), pulled));
        },
        onProgress: ({ rows, bytes, totalBytes, isRead }) =>
          show(rows, totalBytes === 0 ? 1 : bytes / totalBytes, isRead ? "writing" : "reading"),
      });
    } finally {
      erasure = store.erasure();
    }
  };
  return withProgress(outcome, async (show): Promise<EndedImport> => {
    try {
      return { report: await work(show), error: null, notes, erasure };
    } catch (error) {
      if (!options.dryRun && hasBegun) await noteFailure(options, origin, error);
      return { report: null, error, notes, erasure };
    }
  });
}

/** Prints how an import ended. Returns the exit code. Raises CliFailure if nothing was imported. */
export function printImport(
  { report, error, notes, erasure }: EndedImport,
  options: ImportCommandOptions,
): number {
  for (const note of notes) console.error(`rollcall: note: ${note}`);
  if (report !== null) printReport(report, notes, options);
  if (erasure !== null) printErasure(erasure, report);
  if (report === null) throw importFailureOf(error, options);
  const { refusals, quarantined } = report;
  if (refusals.length > 0)
    throw new CliFailure(`the import itself would be refused:\n${refusals.join("\n")}`);
  return quarantined.length > 0 ? EXIT_QUARANTINED : 0;
}

/** The error for the user. With `--json`, prints the mistakes first. */
export function importFailureOf(error: unknown, { json }: ImportCommandOptions): unknown {
  if (!(error instanceof ImportRefused)) return error;
  const isStrict = error instanceof FindingsRefused;
  const findings = isStrict ? error.findings : error.mistakes;
  if (json) console.log(JSON.stringify({ imported: false, findings, moreBadRows: error.moreRows }, null, 2));
  const advice = isStrict
    ? "\nCorrect them, or accept each with --accept CODE (the code is at the end of its line)."
    : "";
  return new CliFailure(`nothing was imported:\n${error.message}${advice}`);
}

/** For --prune. Raises UsageError for a part of a pull that may lack rows: a pull's record counts only if its whole folder is imported. */
function refusePartOfPull(paths: readonly string[]): void {
  for (const path of paths) {
    const own = readRecord(path);
    const record = own ?? readRecord(dirname(path));
    if (record === null || (own !== null && paths.length === 1)) continue;
    if (
      Object.keys(record.complete).length > 0 ||
      Object.values(record.files).some(({ proof }) => proof === null)
    )
      throw new UsageError(
        `--prune: the pull of ${path} may lack rows, which would be removed: import its folder alone`,
      );
  }
}

/** The record of a pulled folder, as the import uses it, with notes for people. Undefined for several paths, because their ages differ. */
function pulledFiles(
  [path, ...others]: readonly string[],
  sources: readonly Source[],
): (PulledFiles & { readonly notes: readonly string[] }) | undefined {
  const record = path === undefined || others.length > 0 ? null : readRecord(path);
  if (record === null) return undefined;
  const refused = Object.entries(record.files).map(([file, { refused = 0 }]) => ({ file, count: refused }));
  const complete = { ...record.complete };
  const notes: string[] = [];
  for (const { kind, origin } of sources) {
    const file = pathsOf(origin)
      .map((read) => basename(read))
      .find((name) => record.files[name]?.proof === null);
    if (file === undefined || complete[kind]?.updatedSince !== undefined) continue;
    complete[kind] = { updatedSince: record.today };
    notes.push(`no ${kind} are pruned: rows of ${file} moved while they were pulled, so some may be missing`);
  }
  return { beganAtMs: Date.parse(record.startedAt), complete, refused, notes };
}

/** The command as it can be typed again, without addresses, which may hold a password. */
export function commandText(
  command: Command,
  paths: readonly string[],
  options: ImportCommandOptions,
): string {
  const values = new Map<string, unknown>(Object.entries(options));
  const words = command.options.flatMap((option) => {
    const name = option.attributeName();
    const value = values.get(name);
    if (UNREPEATED.has(name) || value === undefined || value === false || value === option.defaultValue)
      return [];
    return value === true ? [option.long!] : [value].flat().flatMap((text) => [option.long!, String(text)]);
  });
  return ["rollcall", command.name(), ...[...paths, ...words].map(quoted)].join(" ");
}

/** Options that a record omits: addresses, and flags of this run. */
const UNREPEATED: ReadonlySet<string> = new Set(["db", "base", "json", "dryRun"]);

/** A word, quoted for a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Records that an import failed. Gives up after `NOTE_TIMEOUT_MS`, because the user waits for the error of the import. */
export async function noteFailure(
  { db, company }: Pick<ImportCommandOptions, "db" | "company">,
  origin: ImportOrigin,
  error: unknown,
  reason: string | null = null,
): Promise<void> {
  const noted = withWriteStore(db, (store) =>
    store.noteFailedImport(company, JSON.stringify(failureRecord(origin, error, Date.now(), reason))),
  );
  await within(
    NOTE_TIMEOUT_MS,
    noted.catch(() => {}),
  );
}

/** Prints how long bytes of removed rows, or of a refused import, remain. Not for changed rows on PostgreSQL, which always keeps some. */
function printErasure(erasure: Erasure, report: ImportReport | null): void {
  if (erasure.isErased) return;
  const isEmbedded = erasure.until === "readersEnd" || erasure.until === "nextImport";
  const hasRemoved = report?.files.some(({ removed }) => removed > 0) ?? true;
  if (hasRemoved || (isEmbedded && report?.isChanged))
    console.error(`rollcall: note: what was removed: ${leftOf(erasure).text}`);
}

/** The mapping at a path, or a preset's. */
export async function mappingAt(path: string): Promise<LoadedMapping> {
  try {
    return await readMapping(path, PRESET_MAPPINGS);
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string") {
      if (error.code === "ENOENT" || error.code === "ENOTDIR")
        throw new CliFailure(
          `there is no mapping at ${path}: check the path (from ${process.cwd()}), or name a preset: ${[...PRESET_MAPPINGS.keys()].join(", ")}`,
        );
      throw new CliFailure(
        `the mapping ${path} cannot be read (${error.code}): check that it is a file, and its permissions`,
      );
    }
    throw error;
  }
}

function printReport(report: ImportReport, notes: readonly string[], options: ImportCommandOptions): void {
  for (const note of report.notes) console.error(`rollcall: note: ${note}`);
  for (const finding of report.findings)
    console.error(`rollcall: ${EXPECTED.has(finding.code) ? "" : "warning: "}${findingText(finding)}`);
  if (report.quarantined.length > 0) console.error(quarantineText(report, options));
  const rows = report.files.map(({ file, kind, added, changed, unchanged, removed }) => [
    file === `${kind}.csv` ? file : `${file} (${kind})`,
    added,
    changed,
    unchanged,
    removed,
  ]);
  const meant = report.refusals.length > 0 ? "an accepted import" : "an import";
  const outcome = options.dryRun
    ? `Dry run: nothing was ${report.isChanged ? `changed; the counts are what ${meant} would do` : "changed, and an import would change nothing"}.`
    : report.isChanged
      ? `Imported into ${options.company}.${heldText(report)}`
      : `Imported into ${options.company}: nothing had changed.${heldText(report)}`;
  print(
    options.json,
    {
      imported: options.dryRun !== true,
      dryRun: options.dryRun === true,
      changed: report.isChanged,
      files: report.files,
      notInFiles: report.notInFiles,
      notes: [...notes, ...report.notes],
      findings: report.findings,
      warnings: report.findings.map(findingText),
      quarantined: report.quarantined,
      refusals: report.refusals,
      gate: report.gate,
      lastGate: report.lastGate,
      heldMs: report.heldMs,
    },
    [
      table(["file", "added", "changed", "unchanged", "removed"], rows),
      ...(options.dryRun ? gateTables(report) : []),
      ...absentText(report),
      outcome,
    ].join("\n"),
  );
}

/** How long the writing transaction locked the company; empty if too short to notice. */
function heldText({ heldMs }: ImportReport): string {
  return heldMs < 1000 ? "" : ` Writing took ${(heldMs / 1000).toFixed(1)} s.`;
}

function quarantineOrFail(path: string, rows: readonly QuarantinedRow[]): void {
  try {
    writeQuarantine(path, rows);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // only files are used here
    throw new CliFailure(
      `--quarantine: ${path} cannot be written (${code}). Nothing was imported: check its folder, its permissions and the free space of the disk`,
    );
  }
}

/** How many rows went to quarantine, and why. */
function quarantineText({ quarantined }: ImportReport, { quarantine }: ImportCommandOptions): string {
  const count = quarantined.length === 1 ? "1 row is" : `${quarantined.length} rows are`;
  const lines = quarantined.flatMap(({ file, line, findings }) =>
    findings.map((finding) => `${file}:${line}: ${finding}`),
  );
  return `rollcall: warning: ${count} not imported but written to ${quarantine}:\n${lines.join("\n")}`;
}

/** The rows that --prune would remove, if any. */
function absentText({ notInFiles }: ImportReport): string[] {
  const counts = Object.entries(notInFiles).map(([kind, rows]) => `${rows} of ${kind}`);
  return counts.length === 0
    ? []
    : [`Stored, but not in the files: ${counts.join(", ")}; --prune removes them.`];
}
