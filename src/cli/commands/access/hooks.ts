// rollcall hooks create · list · show · test · pause · resume · rotate · delete (docs/events.md)
import { type Command, Option } from "commander";
import { headersOf, messageOf, newSecret, shownSecret } from "../../../events/message.ts";
import { post, refusalOf } from "../../../events/post.ts";
import { randomId } from "../../../http/new-key.ts";
import { didYouMean } from "../../../resources/cells.ts";
import { EVENT_TYPES, isNamedBy, scopeOfEvent } from "../../../resources/events.ts";
import { SCOPES, type Scope } from "../../../resources/resource.ts";
import type { StoredHook } from "../../../store/hooks.ts";
import type { WriteStore } from "../../../store/store.ts";
import { DAY_MS } from "../../../time/day.ts";
import { CliFailure, UsageError } from "../../failure.ts";
import { withWriteStore } from "../../open.ts";
import {
  option,
  ownOption,
  parseChoices,
  parseWhole,
  RollcallCommand,
  StoreCommand,
  type StoreOptions,
  withChoices,
} from "../../options.ts";
import { instantText, print, table } from "../../output.ts";
import { type ListOptions, listed } from "./secrets.ts";

interface CreateOptions extends StoreOptions {
  readonly company: string;
  readonly url: string;
  readonly events: string;
  readonly idsOnly?: boolean;
  readonly scope?: readonly string[];
  readonly hideReasons?: boolean;
  readonly allowPrivate?: boolean;
  readonly daysBefore: string;
  readonly allLeave?: boolean;
}

/** How long the old secret still signs after a rotation. */
const OVERLAP_MS = DAY_MS;

export function hooksCommand(): Command {
  return new RollcallCommand("hooks")
    .description("Send signed webhooks: create, list, show, test, pause, resume, rotate and delete hooks.")
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(testCommand())
    .addCommand(pauseCommand())
    .addCommand(resumeCommand())
    .addCommand(rotateCommand())
    .addCommand(deleteCommand())
    .addHelpText(
      "after",
      `
rollcall serve sends. The events: ${EVENT_TYPES.join(", ")}.`,
    )
    .examples(
      "rollcall hooks create --company acme --url https://example.com/hook --events 'worker.*,time_off.*'",
      "rollcall hooks test hook_4f8a2c6e0b1d",
    );
}

function createCommand(): Command {
  // It has no environment variable: ROLLCALL_URL is the address of a server, for other commands.
  const url = new Option("--url <address>", "where messages are posted to").makeOptionMandatory();
  return new StoreCommand("create")
    .description("Create a hook of a company. It gets events from now on. Its secret is shown once.")
    .addOption(option("company").makeOptionMandatory())
    .addOption(url)
    .option("--events <list>", "names with commas, such as 'worker.*,time_off.request.created'", "*")
    .option("--ids-only", "send only the ids of objects, and no personal data")
    .addOption(withChoices(ownOption("--scope <scope...>", "the events it may get (default: all)"), SCOPES))
    .option("--hide-reasons", "send null as the reason of every request")
    .option("--days-before <days>", "how many days before workers start or leave it gets an event", "7")
    .option("--all-leave", "also send events of leave during which people work")
    .option("--allow-private", "allow a private address")
    .examples("rollcall hooks create --company acme --url https://example.com/hook --events 'worker.*'")
    .action(async (options: CreateOptions) => {
      const allowPrivate = options.allowPrivate ?? false;
      const refusal = refusalOf(options.url, allowPrivate);
      if (refusal !== null) throw new UsageError(`--url: "${shownAddress(options.url)}" ${refusal}`);
      const scopes = options.scope === undefined ? SCOPES : parseChoices("--scope", options.scope, SCOPES);
      const hook: StoredHook = {
        id: randomId("hook_"),
        companyId: options.company,
        definition: {
          url: new URL(options.url).href,
          events: parseEvents(options.events, scopes),
          withObjects: !(options.idsOnly ?? false),
          allowPrivate,
          scopes,
          hidesReasons: options.hideReasons ?? false,
          daysBefore: parseWhole("--days-before", options.daysBefore, 0, 365),
          allLeave: options.allLeave ?? false,
        },
        secret: newSecret(),
        formerSecret: null,
        formerUntilMs: 0,
        createdAtMs: Date.now(),
        paused: null,
        sentNumber: 0,
        calendarMs: null,
        calendarKey: null,
        failures: 0,
        nextAtMs: 0,
        lastOutcome: null,
        lastAtMs: null,
      };
      await withWriteStore(options.db, (store) => store.createHook(hook));
      printSecret(hook, options, `Created hook ${hook.id} of company ${hook.companyId}.`);
    });
}

/** Raises UsageError for an unknown event type, or if the scopes allow none of the events. */
function parseEvents(text: string, scopes: readonly Scope[]): string[] {
  const patterns = text.split(",").map((word) => word.trim());
  for (const pattern of patterns) {
    if (!EVENT_TYPES.some((type) => isNamedBy(pattern, type)))
      throw new UsageError(
        `--events: "${pattern}" is not one of ${EVENT_TYPES.join(", ")}, nor a group such as worker.*${didYouMean(pattern, EVENT_TYPES)}`,
      );
  }
  const named = EVENT_TYPES.filter((type) => patterns.some((pattern) => isNamedBy(pattern, type)));
  if (named.some((type) => scopes.includes(scopeOfEvent(type)))) return patterns;
  throw new UsageError(`--events: "${text}" needs ${scopeOfEvent(named[0]!)}, which --scope leaves out`);
}

function printSecret(hook: StoredHook, { json }: StoreOptions, done: string): void {
  const secret = shownSecret(hook.secret);
  const text = `${done} Its secret:\n\n  ${secret}\n\nSave it now: it is not shown again. Receivers verify messages with it: docs/events.md`;
  print(json, { secret, ...described(hook) }, text);
}

function listCommand(): Command {
  return new StoreCommand("list")
    .description("List hooks, and whether messages reach them. Secrets are not shown.")
    .addOption(option("company"))
    .examples("rollcall hooks list --company acme")
    .action(async (options: ListOptions) => {
      const hooks = await listed(options, (store) => store.hooks.list(options.company));
      const rows = hooks.map(described);
      const cells = rows.map((row) => [
        row.id,
        row.company,
        row.status,
        row.url,
        row.events.join(","),
        row.lastOutcome,
        row.lastAt,
      ]);
      const columns = ["id", "company", "status", "address", "events", "last outcome", "at"];
      const none = "There are no hooks yet. Create one: rollcall hooks create --company <id> --url <address>";
      print(options.json, rows, hooks.length === 0 ? none : table(columns, cells));
    });
}

interface HookOptions extends StoreOptions {
  readonly yes?: boolean;
}

/** A subcommand that names a hook. `work` does it and prints the result. */
function ofHook(
  name: string,
  description: string,
  work: (hook: StoredHook, store: WriteStore, options: HookOptions) => Promise<void>,
  flags = "",
): Command {
  return new StoreCommand(name)
    .description(description)
    .argument("<hookId>", "the id that rollcall hooks list shows (hook_...)")
    .examples(`rollcall hooks ${name} hook_4f8a2c6e0b1d${flags}`)
    .action((hookId: string, options: HookOptions) =>
      withWriteStore(options.db, async (store) => {
        const hook = (await store.hooks.list()).find(({ id }) => id === hookId);
        if (hook === undefined) throw new CliFailure(`There is no hook "${hookId}": see rollcall hooks list`);
        await work(hook, store, options);
      }),
    );
}

function showCommand(): Command {
  return ofHook("show", "Show a hook and its state.", async (hook, _store, { json }) => {
    const shown = described(hook);
    const lines = Object.entries(shown).map(([name, value]) => [name, value === null ? "" : String(value)]);
    print(json, shown, table(["", ""], lines));
  });
}

function testCommand(): Command {
  const what = "Send a hook.test message now, and show the result.";
  return ofHook("test", what, async (hook, _store, { json }) => {
    const nowMs = Date.now();
    const message = messageOf("hook.test", [hook.id, nowMs, Math.random()], nowMs, { hookId: hook.id });
    const headers = headersOf(message, hook, nowMs);
    const outcome = await post(hook.definition, headers, message.body, new AbortController().signal);
    print(json, { id: hook.id, outcome }, `${shownAddress(hook.definition.url)}: ${outcome}`);
    if (!/^2\d\d$/.test(outcome))
      throw new CliFailure(
        `the hook did not accept the test (${outcome}): a receiver answers with 200 to 299`,
      );
  });
}

function pauseCommand(): Command {
  const what = "Stop sending to a hook. Its events wait for up to 7 days.";
  return ofHook("pause", what, async (hook, store, { json }) => {
    await store.hooks.update(hook, { paused: "by hand" });
    print(json, { id: hook.id }, `Paused hook ${hook.id}: its events wait for up to 7 days.`);
  });
}

function resumeCommand(): Command {
  const what = "Send to a paused hook again. A hook that waits after a failure is tried at once.";
  return ofHook("resume", what, async (hook, store, { json }) => {
    await store.hooks.update(hook, { paused: null, failures: 0, nextAtMs: 0 });
    const lostUntil = instantText(await store.hooks.lostUntil(hook, Date.now()));
    const lost =
      lostUntil === null
        ? ""
        : ` Those until ${lostUntil} are older than 7 days, and lost: the hook is told.`;
    print(
      json,
      { id: hook.id, lostUntil },
      `Resumed hook ${hook.id}: waiting events are sent in order.${lost}`,
    );
  });
}

function rotateCommand(): Command {
  const what = "Give a hook a new secret. For a day, the old one also signs each message.";
  return ofHook("rotate", what, async (hook, store, options) => {
    const formerUntilMs = Date.now() + OVERLAP_MS;
    const changed = { secret: newSecret(), formerSecret: hook.secret, formerUntilMs };
    await store.hooks.update(hook, changed);
    const done = `Gave hook ${hook.id} a new secret. The old one is valid until ${instantText(formerUntilMs)}.`;
    printSecret({ ...hook, ...changed }, options, done);
  });
}

function deleteCommand(): Command {
  const work = async ({ id }: StoredHook, store: WriteStore, { json, yes }: HookOptions) => {
    if (!yes)
      throw new UsageError("hooks delete also drops the hook's waiting events: pass --yes to delete it");
    await store.hooks.delete(id);
    print(json, { id }, `Deleted hook ${id}.`);
  };
  return ofHook("delete", "Delete a hook and its waiting events.", work, " --yes").addOption(option("yes"));
}

/** An address without its possible secrets: user name, password and the values of its query. */
function shownAddress(text: string): string {
  return text.replace(/^(\w+:\/\/)?[^/?#]*@/, "$1…@").replace(/[?#].*/s, "?…");
}

/** A hook without its secret. */
function described(hook: StoredHook) {
  const { paused, failures, nextAtMs } = hook;
  const failing = failures > 0 ? `failing (${failures}), next at ${instantText(nextAtMs)}` : "active";
  return {
    id: hook.id,
    company: hook.companyId,
    status: paused === null ? failing : `paused (${paused})`,
    ...hook.definition,
    url: shownAddress(hook.definition.url),
    lastOutcome: hook.lastOutcome,
    lastAt: instantText(hook.lastAtMs),
    createdAt: instantText(hook.createdAtMs),
  };
}
