// rollcall companies create · set · show · list · delete
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { recomputeDefaultDays } from "../../import/load/kinds/requests.ts";
import { tellOfCloses } from "../../import/load/past.ts";
import { ALLOWED_REMOVALS } from "../../import/load/prune.ts";
import { Retention, type TooOld, tooMuch } from "../../import/load/retention.ts";
import {
  type FailureRecord,
  type ImportRecord,
  ROW_OUTCOMES,
  readFailureRecord,
  readImportRecord,
} from "../../import/report.ts";
import { COLORS, type Color, colorsOf, HISTORY_DEFAULT } from "../../resources/company.ts";
import type { Policy } from "../../resources/policies.ts";
import { firstKnownMs } from "../../store/history.ts";
import {
  type ErasedBy,
  type Erasure,
  type ImportTransaction,
  unknownCompany,
  type WriteStore,
} from "../../store/store.ts";
import { CliFailure, UsageError } from "../failure.ts";
import { shownFailure, shownImport } from "../import-records.ts";
import { pulledFolders, storeAt, withWriteStore } from "../open.ts";
import {
  nullIfNone,
  option,
  parseChoice,
  parseCompanyId,
  parseHistory,
  parseName,
  parseRetention,
  parseTimeZone,
  parseTimeZoneOrNone,
  RollcallCommand,
  repeatedDb,
  StoreCommand,
  type StoreOptions,
  type WaitOptions,
  waitingOf,
  waitOption,
} from "../options.ts";
import { instantText, print, table } from "../output.ts";
import { endedWhenInterrupted } from "../program.ts";

const TIME_ZONE_HELP = "the time zone of workers without their own, such as Europe/Lisbon";

export function companiesCommand(): Command {
  return new RollcallCommand("companies")
    .description("Create, change, show, list and delete companies.")
    .addCommand(createCommand())
    .addCommand(setCommand())
    .addCommand(showCommand())
    .addCommand(listCommand())
    .addCommand(deleteCommand())
    .examples(
      'rollcall companies create acme --name "Acme Ltd"',
      "rollcall companies show acme                         what is stored, how old it is, what imported it",
      "rollcall companies set acme --time-zone Europe/Lisbon",
    );
}

function createCommand(): Command {
  return new StoreCommand("create")
    .description("Create a company, and the store if there is none yet.")
    .argument("<id>", "1 to 64 of a-z 0-9 -")
    .option("--name <name>", "its name (default: the id)")
    .option("--time-zone <zone>", `${TIME_ZONE_HELP} (default: UTC)`, parseTimeZone)
    .examples('rollcall companies create acme --name "Acme Ltd"')
    .action(
      async (id: string, options: StoreOptions & { readonly name?: string; readonly timeZone?: string }) => {
        const company = {
          id: parseCompanyId(id),
          name: parseName(options.name ?? id),
          createdAtMs: Date.now(),
          timeZone: options.timeZone ?? null,
        };
        await withWriteStore(options.db, (store) => store.createCompany(company), { create: true });
        print(
          options.json,
          { id, name: company.name, createdAt: instantText(company.createdAtMs) },
          `Created company ${id}.\nNext: rollcall import <folder> --company ${id}${repeatedDb(options.db)}, and rollcall keys create --company ${id}${repeatedDb(options.db)}`,
        );
      },
    );
}

function setCommand(): Command {
  return new StoreCommand("set")
    .description(
      "Change a company's name, its time zone, the colours of its types of time off, how long its history is kept, or how long its data is kept.",
    )
    .argument("<id>")
    .option("--name <name>", "another name", parseName)
    .option("--time-zone <zone>", `${TIME_ZONE_HELP}; "none" for UTC`, parseTimeZoneOrNone)
    .option(
      "--history <months>",
      `how long the history of the data is kept (docs/record.md): such as ${HISTORY_DEFAULT}, none or forever; a new company has ${HISTORY_DEFAULT}`,
      parseHistory,
    )
    .option(
      "--retention <list>",
      'how long workers are kept after their last day, and requests and their reasons after the last day of leave (docs/security.md): such as "leavers=3y, requests=5y, reasons=1y", or none; the next import erases what is older',
      parseRetention,
    )
    .option("--dry-run", "say what --retention would erase, and change nothing")
    .option(
      "--color <type=color>",
      `the colour of a type of time off on the page, by its name or id: ${COLORS.join(", ")}, or none; may be repeated`,
      (text, before: readonly string[] = []) => [...before, text],
    )
    .examples(
      "rollcall companies set acme --time-zone Europe/Lisbon",
      'rollcall companies set acme --color Vacation=blue --color "Sick leave=rose"',
      'rollcall companies set acme --retention "leavers=3y, reasons=1y" --dry-run',
    )
    .action(async (id: string, options: SetOptions) => {
      const { name, timeZone, color, history, dryRun = false } = options;
      const retention = nullIfNone(options.retention);
      const others = [name, timeZone, color, history].filter((given) => given !== undefined);
      if (others.length === 0 && retention === undefined)
        throw new UsageError("say what to change: --name, --time-zone, --color, --history or --retention");
      if (dryRun && (others.length > 0 || retention === undefined))
        throw new UsageError("--dry-run is for --retention alone");
      await withWriteStore(options.db, async (store) => {
        await checkCompany(store, parseCompanyId(id));
        const old = retention == null ? null : await findTooOld(store, id, retention);
        if (dryRun) {
          print(options.json, { id, dryRun, ...old }, old === null ? "All is kept." : oldText(old));
          return;
        }
        const { movedRequests, closes } = await setCompany(store, id, options);
        const moved =
          movedRequests === 0
            ? ""
            : ` The days of ${movedRequests} ${movedRequests === 1 ? "request" : "requests"} moved with the time zone: if the source writes local days, import again.`;
        print(
          options.json,
          { id, movedRequests, closes, ...old },
          [
            `Changed company ${id}.${moved}`,
            ...closes.map((text) => `This changes ${text}`),
            ...(old === null ? [] : [oldText(old)]),
          ].join("\n"),
        );
      });
    });
}

/** The data that the next import would erase under this retention. */
function findTooOld(store: WriteStore, companyId: string, retention: string) {
  return store.stage(companyId, async (session) => {
    const company = { ...(await session.company()), retention };
    const { keptLeavers, ...old } = await Retention.of(company, Date.now())!.find(session); // never null with a retention
    return { ...old, keptLeavers: Object.fromEntries(keptLeavers) };
  });
}

const SHOWN_IDS = 5;

function oldText(
  old: Omit<TooOld, "keptLeavers"> & { readonly keptLeavers: Readonly<Record<string, string>> },
) {
  const kept = Object.entries(old.keptLeavers).map(([id, why]) => `${id} (${why})`);
  const lines = [
    ["workers who left", old.leavers],
    ["  too old, but kept", kept],
    ["requests of others", old.requests],
    ["  too old, but in a balance", old.keptRequests],
    ["requests whose reasons go", old.reasons],
  ] as const;
  const rows = lines.map(([what, ids]) => [
    what,
    ids.length,
    ids.slice(0, SHOWN_IDS).join(", ") + (ids.length > SHOWN_IDS ? ", …" : ""),
  ]);
  return [table(["the next import erases", "", "ids"], rows), ...tooMuch(old, ALLOWED_REMOVALS)].join("\n");
}

interface SetOptions extends StoreOptions {
  readonly name?: string;
  readonly timeZone?: string;
  /** `type=color`. */
  readonly color?: readonly string[];
  /** `Company.history`. */
  readonly history?: string;
  /** `Company.retention`. */
  readonly retention?: string;
  readonly dryRun?: boolean;
}

/** The company's colours after these changes. Raises UsageError for an unknown colour or type. */
async function colorsAfter(
  transaction: ImportTransaction,
  changes: readonly string[],
): Promise<Record<string, Color>> {
  const nameOf = new Map<string, string>();
  for await (const rows of transaction.scan("policies"))
    for (const { doc } of rows) {
      const { timeOffTypeId, timeOffTypeName }: Policy = JSON.parse(doc);
      nameOf.set(timeOffTypeId, timeOffTypeName);
    }
  const colors = colorsOf(await transaction.company());
  for (const change of changes) {
    const [, type = "", chosen = ""] = /^(.*)=(.*)$/s.exec(change) ?? [];
    const ids = [...nameOf].filter(([id, name]) => id === type || name === type).map(([id]) => id);
    if (ids.length === 0)
      throw new UsageError(
        `--color: ${JSON.stringify(change)} names no type of time off of the company: write type=color, with one of ${[...nameOf.values()].toSorted().join(", ") || "its types, after an import"}`,
      );
    const color = chosen === "none" ? null : parseChoice("--color", chosen, COLORS);
    for (const id of ids) {
      if (color === null) delete colors[id];
      else colors[id] = color;
    }
  }
  return colors;
}

/** Changes a company outside an import, and gives it a new version. `dataAsOf` and `changedAt` stay as they are. */
export function changeCompany<T>(
  store: WriteStore,
  companyId: string,
  work: (transaction: ImportTransaction) => Promise<T>,
): Promise<T> {
  return store.change(companyId, async (transaction) => {
    const { dataAsOfMs, changedAtMs } = await transaction.company();
    const result = await work(transaction);
    return { result, changed: true, commit: true, times: { dataAsOfMs, changedAtMs } };
  });
}

/** Changes the given properties in one transaction. Returns how many requests changed their days, and texts of closes that differ. */
function setCompany(
  store: WriteStore,
  companyId: string,
  options: SetOptions,
): Promise<{ readonly movedRequests: number; readonly closes: readonly string[] }> {
  const { name, color, history } = options;
  const [timeZone, retention] = [nullIfNone(options.timeZone), nullIfNone(options.retention)];
  return changeCompany(store, companyId, async (transaction) => {
    const isMoving = timeZone !== undefined && timeZone !== (await transaction.company()).timeZone;
    if (name !== undefined) await transaction.updateCompany({ name });
    if (history !== undefined) await transaction.updateCompany({ history });
    if (retention !== undefined) await transaction.updateCompany({ retention });
    if (isMoving) await transaction.updateCompany({ timeZone });
    if (color !== undefined)
      await transaction.updateCompany({ colors: JSON.stringify(await colorsAfter(transaction, color)) });
    const movedRequests = isMoving ? await recomputeDefaultDays(transaction) : 0;
    return { movedRequests, closes: await tellOfCloses(transaction) };
  });
}

function showCommand(): Command {
  return new StoreCommand("show")
    .description("Show what a store holds of a company, its age, and its last imports.")
    .argument("<id>")
    .addHelpText("after", "\nRows are counted, and the size is estimated from some of them.")
    .examples("rollcall companies show acme")
    .action(async (id: string, options: StoreOptions) => {
      await withWriteStore(options.db, async (store) => {
        const company = (await store.companies()).find((stored) => stored.id === id);
        if (company === undefined) throw unknownCompany(parseCompanyId(id));
        const sizes = await store.sizes(id);
        const imports = await store.imports(id);
        const last = (hasFailed: boolean) =>
          imports.findLast((entry) => entry.hasFailed === hasFailed)?.record ?? null;
        const record = readImportRecord(last(false));
        const failure = readFailureRecord(last(true));
        const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
        const about = {
          id,
          name: company.name,
          timeZone: company.timeZone,
          createdAt: instantText(company.createdAtMs),
          history: company.history ?? HISTORY_DEFAULT,
          retention: company.retention,
          knownSince: instantText(firstKnownMs(await store.states(id))),
          lastImportedAt: instantText(company.dataAsOfMs),
          lastChangedAt: instantText(company.changedAtMs),
          store: storeAt(options.db).shownAddress,
          keys: (await store.keys(id)).length,
          feeds: (await store.feeds(id)).length,
          counts: Object.fromEntries(sizes.map(({ kind, rows }) => [kind, rows])),
          objectBytes: bytes,
          lastImport: record && shownImport(record),
          lastFailure: failure && shownFailure(failure),
        };
        const lines = [
          ["name", about.name],
          ["time zone", about.timeZone ?? "UTC"],
          ["created", about.createdAt],
          ["history", `${about.history}: since ${about.knownSince ?? "the first import"}`],
          ["retention", about.retention ?? "none"],
          ["last imported", about.lastImportedAt ?? "never"],
          ...(record === null ? [] : importLines(record)),
          ["last changed", about.lastChangedAt ?? "never"],
          ...(failure === null ? [] : failureLines(failure)),
          ["store", about.store],
          ["keys", about.keys],
          ["calendar feeds", about.feeds],
          ...sizes.map(({ kind, rows }) => [kind.replace("_", " "), rows]),
          [
            "size of objects",
            bytes < 1e6 ? `about ${Math.ceil(bytes / 1e3)} kB` : `about ${(bytes / 1e6).toFixed(1)} MB`,
          ],
        ];
        print(options.json, about, table(["company", id], lines));
      });
    });
}

/** Lines about the last import: its origin, and the outcomes of its rows. */
function importLines(record: ImportRecord): string[][] {
  const { command, mapping, version, files, moreFiles, rows, heldMs } = record;
  const names = files.map(({ file, kind }) => (file === `${kind}.csv` ? file : `${file} (${kind})`));
  const more = moreFiles === 0 ? "" : ` and ${moreFiles} more`;
  const counts = ROW_OUTCOMES.filter((outcome) => rows[outcome] > 0);
  return [
    ["  by", `${command} (Rollcall ${version})`],
    ...(mapping === null ? [] : [["  mapping", mapping]]),
    ["  from", names.join(", ") + more],
    ["  rows", counts.map((outcome) => `${rows[outcome]} ${outcome}`).join(", ") || "none"],
    ["  held the company for", `${(heldMs / 1000).toFixed(1)} s`],
  ];
}

function failureLines({ endedAtMs, outcome, mistakes, reason, command }: FailureRecord): (string | null)[][] {
  const of = mistakes === null ? "" : ` for ${mistakes} ${mistakes === 1 ? "mistake" : "mistakes"}`;
  return [
    ["last failed import", instantText(endedAtMs)],
    ["  by", `${command}, ${outcome}${of}`],
    ...(reason === null ? [] : [["  why", reason]]),
  ];
}

function listCommand(): Command {
  return new StoreCommand("list")
    .description("List the companies of a store.")
    .examples("rollcall companies list --json")
    .action(async (options: StoreOptions) => {
      const companies = await withWriteStore(options.db, (store) => store.companies());
      print(
        options.json,
        companies.map(({ id, name, createdAtMs, timeZone, dataAsOfMs }) => ({
          id,
          name,
          createdAt: instantText(createdAtMs),
          timeZone,
          dataAsOf: dataAsOfMs === null ? null : instantText(dataAsOfMs),
        })),
        companies.length === 0
          ? "There are no companies yet. Create one: rollcall companies create <id>"
          : table(
              ["id", "name", "created", "time zone", "data as of"],
              companies.map(({ id, name, createdAtMs, timeZone, dataAsOfMs }) => [
                id,
                name,
                instantText(createdAtMs),
                timeZone ?? "UTC",
                dataAsOfMs === null ? "never" : instantText(dataAsOfMs),
              ]),
            ),
      );
    });
}

function deleteCommand(): Command {
  return new StoreCommand("delete")
    .description(
      "Delete a company and everything that belongs to it: facts, keys and calendar feeds. This cannot be undone.",
    )
    .argument("<id>")
    .addOption(waitOption())
    .addOption(option("yes"))
    .examples("rollcall companies delete acme --yes")
    .action(async (id: string, options: StoreOptions & WaitOptions & { readonly yes?: boolean }) => {
      const waiting = waitingOf(options);
      await withWriteStore(options.db, async (store) => {
        parseCompanyId(id);
        // A killed deletion may have left keys, feeds and hooks of the company.
        const left = [await store.keys(id), await store.feeds(id), await store.hooks.list(id)];
        if (left.flat().length === 0) await checkCompany(store, id);
        if (!options.yes) confirmDeletion(id);
        // Delete synced folders, too, and first: they have people's names. A killed sync may have left `.new` and `.before`.
        for (const name of [id, `${id}.new`, `${id}.before`])
          rmSync(join(pulledFolders(options.db), name), { recursive: true, force: true });
        const erasure = await endedWhenInterrupted(
          () => `rollcall companies list shows whether ${id} still exists`,
          () => store.deleteCompany(id, waiting),
        );
        if (erasure === null) throw unknownCompany(id);
        const { name, text } = leftOf(erasure);
        print(options.json, { id, deleted: true, remains: name }, `Deleted company ${id}: ${text}`);
      });
    });
}

/** How long bytes of deleted data remain: a name for `--json`, and a text for people. */
export function leftOf(erasure: Erasure): { readonly name: string; readonly text: string } {
  if (erasure.isErased) return { name: "nothing", text: "nothing of it is left in the store." };
  const { name, text } = LEFT_UNTIL[erasure.until];
  return { name, text: erasure.because === undefined ? text : `${text} The cause: ${erasure.because}.` };
}

const LEFT_UNTIL: Readonly<Record<ErasedBy, { readonly name: string; readonly text: string }>> = {
  readersEnd: {
    name: "log",
    text: "no reader finds it any more. Some of it stays in the store's log, because others are reading the store now. The next export, backup or import that ends after them removes it.",
  },
  nextImport: {
    name: "unused parts",
    text: "no reader finds it any more. The store's file could not be rewritten, so bytes of it may stay in unused parts until the next import or deletion rewrites it.",
  },
  overwritten: {
    name: "free space",
    text: "no reader finds it any more, and its tables were vacuumed. Bytes of it stay in what PostgreSQL counts as free until they are overwritten, and in its log, replicas and backups: see docs/postgresql.md.",
  },
  vacuumed: {
    name: "dead rows",
    text: "no reader finds it any more. Its rows stay in PostgreSQL's files until the tables are vacuumed: rollcall vacuum does that as their owner, or the server will. See docs/postgresql.md.",
  },
};

function confirmDeletion(id: string): void {
  if (!process.stdin.isTTY) throw new UsageError(`deleting "${id}" cannot be undone: add --yes to do it`);
  const typed = prompt(`This deletes everything of "${id}" and cannot be undone. Type its id to continue:`);
  if (typed !== id) throw new CliFailure("Nothing was deleted: that was not the company's id.");
}

/** Raises CliFailure for an unknown company, so that a mistyped id is not taken for an empty company. */
export async function checkCompany(store: WriteStore, id: string | undefined): Promise<void> {
  if (id !== undefined && !(await store.companies()).some((company) => company.id === id))
    throw unknownCompany(id);
}
