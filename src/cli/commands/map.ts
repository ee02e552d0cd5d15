// rollcall map: drafts, checks and describes mappings.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import { mappingJsonSchema } from "../../import/convert/schema.ts";
import { importCompany } from "../../import/import-company.ts";
import { EXPECTED, findingText } from "../../import/load/findings.ts";
import { candidatesOf, KNOWN_ENDINGS, namedFormat } from "../../import/read/files.ts";
import { findSources, oldSpreadsheetAdvice } from "../../import/read/sources.ts";
import { ImportRefused } from "../../import/row-errors.ts";
import { draftMapping } from "../../onboarding/draft.ts";
import { PRESETS } from "../../onboarding/presets/index.ts";
import { claimedKind } from "../../resources/ids.ts";
import { KINDS } from "../../resources/kinds.ts";
import { cellsOf } from "../../resources/registry.ts";
import { utcDayOf } from "../../time/day.ts";
import { CliFailure } from "../failure.ts";
import { option, RollcallCommand } from "../options.ts";
import { print, table } from "../output.ts";
import { endedWhenInterrupted } from "../program.ts";
import { scratchStore } from "../scratch-store.ts";
import {
  mapOption,
  mappingAt,
  type QueryOptions,
  queryLimits,
  queryMemoryOption,
  queryTimeoutOption,
} from "./import.ts";
import { rulesCommand } from "./map-rules.ts";

const COMPANY = "check";

export function mapCommand(): Command {
  return new RollcallCommand("map")
    .description("Draft, check and describe mappings, which say how to import the files of another system.")
    .addCommand(initCommand())
    .addCommand(checkCommand())
    .addCommand(schemaCommand())
    .addCommand(presetsCommand())
    .addCommand(rulesCommand())
    .examples(
      "rollcall map init ./hr --out map.json       a draft: kinds, columns and formats by what the files have",
      "rollcall map check ./hr --map map.json      everything that an import would say, without a store",
      "rollcall map schema > rollcall.schema.json  for completion in editors",
      "rollcall map presets                        the systems with a ready mapping",
      "rollcall map rules --company acme           the rules that give the balances that were reported",
    );
}

function initCommand(): Command {
  return new RollcallCommand("init")
    .description("Write a draft mapping for files of another system.")
    .argument("<paths...>", "files, or a folder of them")
    .option("--out <file>", "the new file to write")
    .examples("rollcall map init employees.csv leave.xlsx --out map.json")
    .action(async (paths: string[], { out }: { readonly out?: string }) => {
      const all = await draftable(paths);
      const files = all.filter(({ name }) => namedFormat(name) !== null);
      const spreadsheets = all.flatMap(({ name }) => oldSpreadsheetAdvice(name) ?? []);
      if (files.length === 0)
        throw new CliFailure(
          [
            `no data file in ${paths.join(", ")}: rename a table of text, such as .txt, to end in ${KNOWN_ENDINGS}`,
            ...spreadsheets,
          ].join("\n"),
        );
      for (const advice of spreadsheets) console.error(`rollcall: note: left out: ${advice}`);
      if (out !== undefined && existsSync(out))
        throw new CliFailure(`${out} exists already: name another file`);
      const { text, questions, isEmpty } = await draftMapping(all);
      if (isEmpty)
        throw new CliFailure(
          `nothing in ${paths.join(", ")} was recognised as people, leave or balances, so there is no draft:\n${questions.join("\n") || text}`,
        );
      if (out === undefined) {
        console.log(text.trimEnd());
        return;
      }
      writeDraft(out, text);
      const first = questions.length === 0 ? "read it" : `read it, answer each "?"`;
      console.error(
        `rollcall: wrote ${out}: ${first}, then run rollcall map check ${paths.join(" ")} --map ${out}`,
      );
    });
}

/** Writes a new file. Raises CliFailure. */
function writeDraft(out: string, text: string): void {
  try {
    writeFileSync(out, text, { flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    if (error.code !== "EEXIST") rmSync(out, { force: true }); // a part of a file would make the next run fail
    throw new CliFailure(
      `${out} cannot be written to (${error.code}): check the folder, its permissions and the free space of the disk, or name another file`,
    );
  }
}

interface CheckOptions extends QueryOptions {
  readonly map?: string;
  readonly json?: boolean;
}

function checkCommand(): Command {
  return new RollcallCommand("check")
    .description("Run a mapping over files without a store: what would be imported, and what is wrong.")
    .argument("<paths...>", "files, or a folder of them")
    .addOption(mapOption())
    .addOption(queryTimeoutOption())
    .addOption(queryMemoryOption())
    .addOption(option("json"))
    .examples("rollcall map check ./hr --map map.json")
    .action((paths: string[], options: CheckOptions) =>
      endedWhenInterrupted(
        () => "the check did not end",
        () => check(paths, options),
      ),
    );
}

async function check(paths: string[], options: CheckOptions): Promise<void> {
  const limits = queryLimits(options);
  try {
    const loaded = options.map === undefined ? null : await mappingAt(options.map);
    const { sources, notes, unread } = await findSources(paths, loaded);
    await using store = await scratchStore(COMPANY);
    const report = await importCompany(store, COMPANY, sources, {
      unread,
      today: utcDayOf(Date.now()),
      nowMs: Date.now(),
      queryLimits: limits,
    });
    const firsts = new Map<string, unknown>();
    const legacyIds = new Map<string, string>();
    await store.export(COMPANY, async (kind, rows) => {
      for (const row of rows)
        if ("id" in row && "legacyId" in row && row.legacyId !== null) legacyIds.set(row.id, row.legacyId);
      const [first] = rows;
      if (first !== undefined && !firsts.has(kind))
        firsts.set(kind, "doc" in first ? JSON.parse(first.doc) : cellsOf(kind, first));
    });
    // Ids are derived from the company, which this check does not know. So a reference shows the legacy id.
    const withoutIds = (key: string, value: unknown) =>
      typeof value !== "string" || claimedKind(value) === null
        ? value
        : key === "id"
          ? undefined
          : legacyIds.get(value);
    const examples: Readonly<Record<string, unknown>> = JSON.parse(
      JSON.stringify(Object.fromEntries(firsts), withoutIds),
    );
    for (const note of [...notes, ...report.notes]) console.error(`rollcall: note: ${note}`);
    for (const finding of report.findings)
      console.error(`rollcall: ${EXPECTED.has(finding.code) ? "" : "warning: "}${findingText(finding)}`);
    const rows = report.files.map(({ file, kind, added, skipped }) => [file, kind, added, skipped]);
    const shown = KINDS.filter((kind) => kind in examples).map(
      (kind) => `\nThe first of ${kind}:\n${JSON.stringify(examples[kind], null, 2)}`,
    );
    print(
      options.json,
      {
        right: true,
        files: report.files,
        findings: report.findings,
        examples,
      },
      [table(["file", "kind", "rows", "skipped"], rows), ...shown].join("\n"),
    );
  } catch (error) {
    if (error instanceof ImportRefused && options.json)
      print(true, { right: false, findings: error.mistakes, moreBadRows: error.moreRows }, "");
    throw refusal(error, "this would not be imported");
  }
}

async function draftable(paths: readonly string[]) {
  try {
    return await candidatesOf(paths);
  } catch (error) {
    throw refusal(error, "no mapping can be drafted");
  }
}

/** Turns a refusal of the files or the mapping into a failure of the command. */
function refusal(error: unknown, what: string): unknown {
  return error instanceof ImportRefused ? new CliFailure(`${what}:\n${error.message}`) : error;
}

function schemaCommand(): Command {
  return new RollcallCommand("schema")
    .description("Print the JSON Schema of mappings, for completion in editors.")
    .examples("rollcall map schema > rollcall.schema.json")
    .action(() => console.log(JSON.stringify(mappingJsonSchema(), null, 2)));
}

function presetsCommand(): Command {
  return new RollcallCommand("presets")
    .description("List the systems whose exports load with a mapping that Rollcall has.")
    .addOption(option("json"))
    .examples("rollcall import ./hr --company acme --map personio")
    .action((options: { readonly json?: boolean }) => {
      const list = PRESETS.map(({ pull, mapping: _, ...about }) => ({ ...about, isPulled: pull !== null }));
      const rows = PRESETS.map(({ name, system, version, checkedOn, untried, files }) => [
        name,
        system,
        version,
        checkedOn,
        untried ?? "",
        files,
      ]);
      print(
        options.json,
        list,
        `${table(["preset", "system", "version", "checked", "untried", "files"], rows)}\n\nWhat each expects: docs/presets.md`,
      );
    });
}
