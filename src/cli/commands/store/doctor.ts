// rollcall doctor
import type { Command } from "commander";
import { CLOCKS_DIFFER_MS } from "../../../http/known-on.ts";
import { closed } from "../../../http/routes/closes.ts";
import { type ImportRecord, readFailureRecord, readImportRecord } from "../../../import/report.ts";
import { checkedDaysAgo } from "../../../onboarding/preset.ts";
import { PRESETS } from "../../../onboarding/presets/index.ts";
import { SERVE_NAMES } from "../../../settings.ts";
import type { Finding, Grants } from "../../../store/engine.ts";
import type { Company, StoredImport } from "../../../store/store.ts";
import { DAY_MS } from "../../../time/day.ts";
import { countDiffering } from "../../agreement.ts";
import { CliFailure } from "../../failure.ts";
import { storeAt, withReadStore } from "../../open.ts";
import {
  type Environment,
  option,
  StoreCommand,
  type StoreOptions,
  unreadVariables,
  variablesOf,
} from "../../options.ts";
import { instantText, print } from "../../output.ts";
import { build, buildText } from "../../program.ts";
import { type ServeOptions, serveSettings } from "../../serving/settings.ts";
import { withCompany } from "../list-objects.ts";
import { rowFindings } from "./doctor-rows.ts";

interface DoctorOptions extends StoreOptions {
  readonly quick?: boolean;
}

export function doctorCommand(): Command {
  return new StoreCommand("doctor")
    .description("Check the store and the settings, and say what to do about each finding. Changes nothing.")
    .option("--quick", "check only a sample of the documents, and no indexes; faster, but misses most damage")
    .addHelpText(
      "after",
      "\nExit code: 0 if nothing was found, 1 otherwise. Notes, such as old data, do not change it.",
    )
    .examples("rollcall doctor")
    .action(async (options: DoctorOptions, command: Command) => {
      const store = storeAt(options.db);
      const db = store.shownAddress;
      const isFull = options.quick !== true;
      let companies: readonly Company[] = [];
      const notes: Finding[] = [];
      const records = new Map<string, ImportRecord>();
      const { grants, findings: rowsFindings } = await store.examine(isFull, async (contents) => {
        companies = await contents.companies();
        for (const { id } of companies) {
          const imports = await contents.imports(id);
          notes.push(...importNotes(id, imports));
          const last = imports.findLast(({ hasFailed }) => !hasFailed);
          const record = readImportRecord(last?.record ?? null);
          if (record !== null) records.set(id, record);
          notes.push(...presetNotes(id, record?.mapping ?? null, Date.now()));
        }
        const ofRows = await rowFindings(contents, isFull, (note) => notes.push(note));
        if (ofRows.length === 0)
          notes.push(
            ...(await clockNotes(options.db, companies, Date.now())),
            ...(await reconcileNotes(options.db, companies)),
            ...(isFull ? await closeNotes(options.db, companies) : []),
            ...(await hookNotes(options.db)),
          );
        return ofRows;
      });
      notes.unshift(...ageNotes(companies, Date.now()));
      const findings = [
        ...environmentFindings(process.env, variablesOf(command.parent ?? command)),
        ...rowsFindings,
      ];
      print(
        options.json,
        {
          rollcall: build(),
          db,
          sound: findings.length === 0,
          findings,
          notes,
          companies: companies.map(({ id, dataAsOfMs }) => ({
            id,
            lastImportedAt: instantText(dataAsOfMs),
            pulledAt: instantText(records.get(id)?.pulledAtMs ?? null),
            heldMs: records.get(id)?.heldMs ?? null,
          })),
          ...(grants && { grants }),
        },
        [buildText(), ...ageLines(companies, records), ...report(db, findings, notes, grants)].join("\n"),
      );
      if (findings.length > 0) throw new CliFailure(`${db} needs attention: ${findings.length} found`);
    });
}

/** Companies with a change that is dated in the future: a clock was or is wrong. */
async function clockNotes(db: string, companies: readonly Company[], nowMs: number): Promise<Finding[]> {
  return withReadStore(db, async (store) => {
    const notes: Finding[] = [];
    for (const { id } of companies) {
      const { nextMs } = await store.knownAt(id, nowMs + CLOCKS_DIFFER_MS);
      if (nextMs === null) continue;
      const problem = `company ${id}: a change is dated ${instantText(nextMs)}, which is still to come`;
      const advice =
        "set the clocks of this machine and of the one that imports; docs/api.md, What was known, says what knownOn refuses until then";
      notes.push({ check: "clock", problem, advice });
    }
    return notes;
  });
}

/** Companies whose balances differ from the reported ones. */
async function reconcileNotes(db: string, companies: readonly Company[]): Promise<Finding[]> {
  const notes: Finding[] = [];
  for (const { id } of companies) {
    const { differ } = await withCompany({ db, company: id }, (company) => countDiffering(company));
    if (differ === 0) continue;
    const problem = `company ${id}: ${differ} balances differ from what was reported`;
    const advice = `rollcall reconcile --company ${id} groups them by cause`;
    notes.push({ check: "reconcile", problem, advice });
  }
  return notes;
}

/** Only this many of a company's closes are computed again: the newest ones. */
const CLOSES_CHECKED = 3;

/** Closes that differ when computed again, although nothing was erased since. */
async function closeNotes(db: string, companies: readonly Company[]): Promise<Finding[]> {
  const notes: Finding[] = [];
  for (const { id } of companies) {
    const others = await withCompany({ db, company: id }, async (company) => {
      const closes = (await company.closes()).filter(
        (close) => close.erasedWorkers + close.erasedRequests === 0,
      );
      const names: string[] = [];
      for (const close of closes.slice(0, CLOSES_CHECKED)) {
        const again = await closed(company.known(close.revision), close);
        if (again.digest !== close.digest) names.push(close.name);
      }
      return names;
    });
    for (const name of others)
      notes.push({
        check: "closes",
        problem: `company ${id}: close ${name} is not what was closed`,
        advice: `see rollcall closes verify ${name} --company ${id}`,
      });
  }
  return notes;
}

/** Hooks that get no messages, or that lose some. */
async function hookNotes(db: string): Promise<Finding[]> {
  return withReadStore(db, async (store) => {
    const notes: Finding[] = [];
    for (const hook of await store.hooks.list()) {
      const { id, companyId, paused, failures, lastOutcome, lastAtMs } = hook;
      const lostMs = await store.hooks.lostUntil(hook, Date.now());
      if (paused === null && failures === 0 && lostMs === null) continue;
      const failing = failures === 0 ? "waits for a server" : `has failed ${failures} times`;
      const state = paused === null ? failing : `is paused (${paused})`;
      const last =
        lastOutcome === null ? "" : `; the last outcome: ${lastOutcome}, at ${instantText(lastAtMs)}`;
      const lost =
        lostMs === null ? "" : `; its events until ${instantText(lostMs)} are older than 7 days, and lost`;
      const advice = `repair its receiver, try it with rollcall hooks test ${id}, then rollcall hooks resume ${id}`;
      notes.push({
        check: "hooks",
        problem: `company ${companyId}: hook ${id} ${state}${last}${lost}`,
        advice,
      });
    }
    return notes;
  });
}

function report(
  db: string,
  findings: readonly Finding[],
  notes: readonly Finding[],
  grants: Grants | null,
): string[] {
  const lines = grants === null ? [] : grantLines(grants);
  for (const { problem, advice } of notes) lines.push(`note: ${problem}\n  do: ${advice}`);
  for (const { check, problem, advice } of findings) lines.push(`${check}: ${problem}\n  do: ${advice}`);
  if (findings.length === 0) {
    const checked = grants === null ? "Files, schema, integrity" : "Schema, grants";
    lines.push(`${db}: nothing found. ${checked}, references, documents, settings are sound.`);
  }
  return lines;
}

function grantLines({ role, isOf, tables, touchesKeys, powers }: Grants): string[] {
  const byPrivileges = Map.groupBy(tables, ({ privileges }) => privileges.join(", ") || "nothing");
  return [
    `role ${role}, acting for the ${isOf}${powers.length > 0 ? ` (${powers.join(", ")})` : ""}:`,
    ...[...byPrivileges].map(([may, on]) => `  ${may}: ${on.map(({ table }) => table).join(", ")}`),
    `  last use of keys and feeds: ${touchesKeys ? "may be noted" : "may not be noted"}`,
  ];
}

// The age of each company's data. Old data may be right, so it is a note: unlike a finding, it leaves the exit code at 0.

const OLD_AFTER_DAYS = 7;
const PRESET_OLD_AFTER_DAYS = 365;

/** A note for each company whose data is older than a week, or was never imported. */
export function ageNotes(companies: readonly Company[], nowMs: number): Finding[] {
  return companies.flatMap(({ id, dataAsOfMs }) => {
    if (dataAsOfMs === null)
      return {
        check: "age",
        problem: `company ${id}: no data was ever imported`,
        advice: `rollcall import <files> --company ${id}`,
      };
    const days = Math.floor((nowMs - dataAsOfMs) / DAY_MS);
    if (days < OLD_AFTER_DAYS) return [];
    return {
      check: "age",
      problem: `company ${id}: data was last imported ${days} days ago, at ${instantText(dataAsOfMs)}`,
      advice: `if imports are scheduled, see why none succeeded since; then rollcall import <files> --company ${id}`,
    };
  });
}

/** A note if nobody has compared the preset with its system for a year. */
export function presetNotes(id: string, mapping: string | null, nowMs: number): Finding[] {
  const preset = PRESETS.find(({ name }) => name === mapping);
  if (preset === undefined || checkedDaysAgo(preset, nowMs) <= PRESET_OLD_AFTER_DAYS) return [];
  return [
    {
      check: "presets",
      problem: `company ${id}: the preset ${preset.name} was last compared with ${preset.system} on ${preset.checkedOn}`,
      advice:
        "its API may have changed: take a newer Rollcall, or compare some people and their leave by hand",
    },
  ];
}

/** Notes on findings that a company's last import accepted, and on a failed import since. */
function importNotes(id: string, imports: readonly StoredImport[]): Finding[] {
  const last = imports.findLast(({ hasFailed }) => !hasFailed);
  const findings = readImportRecord(last?.record ?? null)?.findings ?? [];
  const failure = imports.at(-1)?.hasFailed ? readFailureRecord(imports.at(-1)!.record) : null;
  const codes = findings.map(({ code, count }) => `${code} (${count})`).join(", ");
  const notes: Finding[] = [];
  if (failure !== null)
    notes.push({
      check: "imports",
      problem: `company ${id}: the last import failed, at ${instantText(failure.endedAtMs)}${failure.reason === null ? "" : `: ${failure.reason}`}`,
      advice: `${failure.reason === null ? "run it again to see why" : "when that is corrected, run it again"}: ${failure.command}`,
    });
  if (findings.length > 0)
    notes.push({
      check: "imports",
      problem: `company ${id}: the last import reported findings: ${codes}`,
      advice:
        "correct the data or the mapping, or accept each with --accept CODE: docs/importing.md, Findings",
    });
  return notes;
}

/** When each company's data was last imported, as text. */
export function ageLines(
  companies: readonly Company[],
  records: ReadonlyMap<string, Pick<ImportRecord, "pulledAtMs" | "heldMs">>,
): string[] {
  return companies.map(({ id, dataAsOfMs }) => {
    const { pulledAtMs = null, heldMs = null } = records.get(id) ?? {};
    const from = pulledAtMs === null ? "" : `, of a pull that began ${instantText(pulledAtMs)}`;
    const held = heldMs === null ? "" : `, held the company for ${(heldMs / 1000).toFixed(1)} s`;
    return `company ${id}: last import ${instantText(dataAsOfMs) ?? "never"}${from}${held}`;
  });
}

// Checks the environment: variables that no command reads, and values that `rollcall serve` would refuse.

/** `known`: all variables that any command reads. */
export function environmentFindings(environment: Environment, known: ReadonlySet<string>): Finding[] {
  const findings: Finding[] = unreadVariables(environment, known).map((unread) => ({
    check: "settings",
    ...unread,
  }));
  try {
    serveSettings(serveOptions(environment));
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    findings.push({
      check: "settings",
      problem: `rollcall serve would refuse its settings: ${error.message}`,
      advice: "correct that option's environment variable: see rollcall serve --help",
    });
  }
  return findings;
}

/** The options of `rollcall serve` when only the environment sets them. */
function serveOptions(environment: Environment): ServeOptions {
  const options: Record<string, string | undefined> = {};
  for (const name of ["db", ...SERVE_NAMES] as const) {
    const { envVar, defaultValue } = option(name);
    const value = environment[envVar!] ?? defaultValue; // every option has one
    if (value !== undefined) options[name] = value;
  }
  return options as unknown as ServeOptions; // an option without a default is optional in ServeOptions
}
