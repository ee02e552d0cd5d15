// rollcall feeds create · list · revoke · rotate
import type { Command, Option } from "commander";
import { type NewCalendar, newCalendar } from "../../../http/new-key.ts";
import { WORKER_TYPES } from "../../../resources/workers.ts";
import type { CalendarDefinition, StoredCalendar } from "../../../store/store.ts";
import { CliFailure } from "../../failure.ts";
import { withWriteStore } from "../../open.ts";
import {
  option,
  ownOption,
  parseChoice,
  parseChoices,
  parseExpiry,
  parseName,
  parseUrl,
  RollcallCommand,
  StoreCommand,
  type StoreOptions,
  withChoices,
} from "../../options.ts";
import { instantText, print, table } from "../../output.ts";
import { checkCompany } from "../companies.ts";
import {
  describedSecret,
  expiresText,
  findSecret,
  type ListOptions,
  listed,
  parseIds,
  requireKnown,
  statusOf,
} from "./secrets.ts";

const CALENDAR_SHOWS = ["busy", "policy"] as const satisfies readonly CalendarDefinition["show"][];

interface PrintOptions extends StoreOptions {
  readonly url?: string;
  readonly quiet?: boolean;
}

interface CreateOptions extends PrintOptions {
  readonly company: string;
  readonly name?: string;
  readonly workers?: readonly string[];
  readonly types?: readonly string[];
  readonly policies?: readonly string[];
  readonly show: string;
  readonly pending?: boolean;
  readonly expires?: string;
}

export function feedsCommand(): Command {
  return new RollcallCommand("feeds")
    .description(
      "Create, list, revoke and rotate calendar feeds of who is away. None of these waits for a running import.",
    )
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
    .addCommand(rotateCommand())
    .examples("rollcall feeds create --company acme --name everybody", "rollcall feeds list --company acme");
}

function urlOption(): Option {
  return ownOption("--url <address>", "the server's address, to print the whole address of the feed");
}

function createCommand(): Command {
  return new StoreCommand("create")
    .description(
      "Create a calendar feed of a company. Its address is shown once; only a digest of it is stored.",
    )
    .addOption(option("company").makeOptionMandatory())
    .option("--name <name>", "the name of the calendar (default: the company's name)")
    .option("--workers <ids...>", "only these workers")
    .addOption(withChoices(ownOption("--types <types...>", "only workers of these types"), WORKER_TYPES))
    .option("--policies <ids...>", "only leave under these policies")
    .addOption(
      withChoices(
        ownOption("--show <what>", "what an event says: that somebody is away, or the policy's name"),
        CALENDAR_SHOWS,
      ).default("busy"),
    )
    .option("--pending", "show pending leave too, as tentative")
    .option("--expires <when>", "when it expires: a duration such as 90d, or a day (default: never)")
    .addOption(urlOption())
    .option("--quiet", "print only the address")
    .addHelpText(
      "after",
      "\nWhoever has the address can read the feed: names, days, and with --show policy the kind of leave.",
    )
    .examples(
      "rollcall feeds create --company acme --url https://rollcall.example.com",
      'rollcall feeds create --company acme --name "Payroll team" --workers wrk_1,wrk_2 --show policy --pending',
    )
    .action(async (options: CreateOptions) => {
      const nowMs = Date.now();
      const url = options.url === undefined ? "" : parseUrl(options.url);
      const definition: CalendarDefinition = {
        workers: parseIds("worker", "--workers", options.workers),
        types: parseChoices("--types", options.types ?? [], WORKER_TYPES),
        policies: parseIds("policy", "--policies", options.policies),
        show: parseChoice("--show", options.show, CALENDAR_SHOWS),
        withPending: options.pending ?? false,
      };
      const feedOptions = {
        companyId: options.company,
        name: parseName(options.name ?? ""),
        definition,
        expiresAtMs: options.expires === undefined ? null : parseExpiry(options.expires, nowMs),
      };
      await withWriteStore(options.db, async (store) => {
        await checkCompany(store, options.company);
        await requireKnown(options.db, options.company, {
          workers: definition.workers,
          policies: definition.policies,
        });
        const made = newCalendar(feedOptions, nowMs);
        await store.createSecret(made.stored);
        printNewCalendar(made, url, options);
      });
    });
}

function printNewCalendar({ secret, stored }: NewCalendar, url: string, { quiet, json }: PrintOptions): void {
  const address = `${url}/calendar/${secret}.ics`;
  if (quiet) {
    console.log(address);
    return;
  }
  const text = [
    `Created feed ${stored.id} of company ${stored.companyId}:`,
    "",
    `  ${address}`,
    "",
    `Save it now: it is not shown again. Add it to a calendar program as a subscription${url === "" ? ", behind your server's address" : ""}.`,
    "Whoever has the address can read the feed.",
    expiresText(stored),
  ].join("\n");
  print(json, { address, ...described(stored, Date.now()) }, text);
}

function listCommand(): Command {
  return new StoreCommand("list")
    .description(
      "List calendar feeds and when each was last fetched, to the minute. Their addresses are not stored, so they are not shown.",
    )
    .addOption(option("company"))
    .examples("rollcall feeds list --company acme")
    .action(async (options: ListOptions) => {
      const feeds = await listed(options, (store) => store.feeds(options.company));
      const rows = feeds.map((feed) => described(feed, Date.now()));
      const columns = ["id", "company", "name", "status", "shows", "created", "expires", "last fetched"];
      const cells = rows.map((row) => [
        row.id,
        row.company,
        row.name,
        row.status,
        summary(row),
        row.createdAt,
        row.expiresAt,
        row.lastFetchedAt,
      ]);
      const none = "There are no feeds yet. Create one: rollcall feeds create --company <id>";
      print(options.json, rows, feeds.length === 0 ? none : table(columns, cells));
    });
}

/** What a feed shows, in short: "2 workers, policy names, pending too". */
function summary({ workers, types, policies, show, withPending }: CalendarDefinition): string {
  const count = (ids: readonly string[], singular: string, many: string) =>
    ids.length === 0 ? [] : [`${ids.length} ${ids.length === 1 ? singular : many}`];
  return [
    ...count(workers, "worker", "workers"),
    ...(types.length === 0 ? [] : [types.map((type) => `${type}s`).join(" and ")]),
    ...(workers.length + types.length === 0 ? ["everybody"] : []),
    ...count(policies, "policy", "policies"),
    ...(show === "policy" ? ["policy names"] : []),
    ...(withPending ? ["pending too"] : []),
  ].join(", ");
}

function revokeCommand(): Command {
  return new StoreCommand("revoke")
    .description("Revoke a calendar feed. Its address is closed at once.")
    .argument("<feedId>", "the id that rollcall feeds list shows (feed_...), not its address")
    .examples("rollcall feeds revoke feed_4f8a2c6e0b1d")
    .action(async (feedId: string, options: StoreOptions) => {
      const feed = await withWriteStore(options.db, async (store) => {
        const stored = findSecret(await store.feeds(), "feed", feedId);
        if (stored.revokedAtMs === null)
          await store.updateSecret("feeds", feedId, { revokedAtMs: Date.now() });
        return findSecret(await store.feeds(), "feed", feedId);
      });
      print(options.json, described(feed, Date.now()), `Revoked feed ${feedId}: its address is closed.`);
    });
}

function rotateCommand(): Command {
  return new StoreCommand("rotate")
    .description("Give a calendar feed a new address. The old one is closed at once.")
    .argument("<feedId>", "the id that rollcall feeds list shows")
    .option("--expires <when>", "a duration such as 90d, or a day (default: as before)")
    .addOption(urlOption())
    .option("--quiet", "print only the address")
    .addHelpText("after", "\nThe feed with the new address has another id. What it shows is the same.")
    .examples("rollcall feeds rotate feed_4f8a2c6e0b1d")
    .action(async (feedId: string, options: PrintOptions & { readonly expires?: string }) => {
      const url = options.url === undefined ? "" : parseUrl(options.url);
      await withWriteStore(options.db, async (store) => {
        const nowMs = Date.now();
        const old = findSecret(await store.feeds(), "feed", feedId);
        const status = statusOf(old, nowMs);
        if (status === "revoked" || (status === "expired" && options.expires === undefined)) {
          const orElse = status === "expired" ? ", or pass --expires" : "";
          throw new CliFailure(
            `The calendar feed ${feedId} is ${status}: create a new one with rollcall feeds create${orElse}`,
          );
        }
        const expiresAtMs =
          options.expires === undefined ? old.expiresAtMs : parseExpiry(options.expires, nowMs);
        const made = newCalendar({ ...old, expiresAtMs }, nowMs);
        await store.createSecret(made.stored);
        await store.updateSecret("feeds", feedId, { revokedAtMs: nowMs });
        printNewCalendar(made, url, options);
        if (!options.quiet && !options.json) console.log(`\nThe address of feed ${feedId} is closed.`);
      });
    });
}

function described(feed: StoredCalendar, nowMs: number) {
  return {
    ...describedSecret(feed, nowMs),
    ...feed.definition,
    lastFetchedAt: instantText(feed.lastUsedAtMs),
  };
}
