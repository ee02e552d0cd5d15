// rollcall keys create · list · revoke · rotate
import type { Command } from "commander";
import { type NewKey, newKey } from "../../../http/new-key.ts";
import { SCOPES } from "../../../resources/resource.ts";
import { KEY_LEVELS, type KeyAccess, type StoredKey, type WriteStore } from "../../../store/store.ts";
import { CliFailure, UsageError } from "../../failure.ts";
import { withWriteStore } from "../../open.ts";
import {
  option,
  ownOption,
  parseChoice,
  parseChoices,
  parseExpiry,
  parseName,
  parseSpan,
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

interface CreateOptions extends StoreOptions {
  readonly company: string;
  readonly name?: string;
  readonly expires?: string;
  readonly scope?: readonly string[];
  readonly access: string;
  readonly departments?: readonly string[];
  readonly managers?: readonly string[];
  readonly workers?: readonly string[];
  readonly quiet?: boolean;
}

interface RotateOptions extends StoreOptions {
  readonly overlap: string;
  readonly expires?: string;
  readonly quiet?: boolean;
}

export function keysCommand(): Command {
  return new RollcallCommand("keys")
    .description("Create, list, revoke and rotate API keys. None of these waits for a running import.")
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
    .addCommand(rotateCommand())
    .examples(
      "rollcall keys create --company acme --name payroll --expires 90d",
      "rollcall keys list --company acme",
      "rollcall keys rotate key_4f8a2c6e0b1d --overlap 24h     a new key; the old one works for another day",
    );
}

function createCommand(): Command {
  return new StoreCommand("create")
    .description("Create a key for a company. The key is shown once; only its digest is stored.")
    .addOption(option("company").makeOptionMandatory())
    .option("--name <name>", "what the key is for")
    .option("--expires <when>", "when it expires: a duration such as 90d, or a day (default: never)")
    .addOption(withChoices(ownOption("--scope <scope...>", "what it may read (default: everything)"), SCOPES))
    .addOption(
      withChoices(
        ownOption("--access <access>", "everything, everything but reasons, or only who is away"),
        KEY_LEVELS,
      ).default("everything"),
    )
    .option("--departments <ids...>", "only workers of these departments and of their parts")
    .option("--managers <ids...>", "only these workers and everybody below them")
    .option("--workers <ids...>", "only these workers")
    .option("--quiet", "print only the key")
    .examples(
      "rollcall keys create --company acme --name payroll --expires 90d",
      "KEY=$(rollcall keys create --company acme --scope time_off:read --quiet)",
      "rollcall keys create --company acme --name shifts --access away --departments dpt_1",
    )
    .action(async (options: CreateOptions) => {
      const nowMs = Date.now();
      const level = parseChoice("--access", options.access, KEY_LEVELS);
      if (level === "away" && options.scope !== undefined)
        throw new UsageError("--access away has no scopes: leave --scope out");
      const access: KeyAccess = {
        level,
        departments: parseIds("department", "--departments", options.departments),
        managers: parseIds("worker", "--managers", options.managers),
        workers: parseIds("worker", "--workers", options.workers),
      };
      const keyOptions = {
        companyId: options.company,
        name: parseName(options.name ?? ""),
        expiresAtMs: options.expires === undefined ? null : parseExpiry(options.expires, nowMs),
        scopes: options.scope === undefined ? SCOPES : parseChoices("--scope", options.scope, SCOPES),
        access,
      };
      await withWriteStore(options.db, async (store) => {
        await checkCompany(store, options.company);
        await requireKnown(options.db, options.company, {
          departments: access.departments,
          workers: [...access.managers, ...access.workers],
        });
        const made = newKey(keyOptions, nowMs);
        await store.createSecret(made.stored);
        printNewKey(made, options);
      });
    });
}

function printNewKey(made: NewKey, options: { readonly quiet?: boolean; readonly json?: boolean }): void {
  if (options.quiet) {
    console.log(made.apiKey);
    return;
  }
  const text = [
    `Created key ${made.stored.id} of company ${made.stored.companyId}:`,
    "",
    `  ${made.apiKey}`,
    "",
    "Save it now: it is not shown again. Callers send it in the x-api-key header.",
    expiresText(made.stored),
  ].join("\n");
  print(options.json, { key: made.apiKey, ...described(made.stored, Date.now()) }, text);
}

function listCommand(): Command {
  return new StoreCommand("list")
    .description(
      "List keys by id. The keys themselves are not stored, so they are not shown. The last use of a key is known to the minute.",
    )
    .addOption(option("company"))
    .examples("rollcall keys list --company acme")
    .action(async (options: ListOptions) => {
      const keys = await listed(options, (store) => store.keys(options.company));
      const rows = keys.map((key) => described(key, Date.now()));
      const columns = [
        "id",
        "company",
        "name",
        "status",
        "scopes",
        "access",
        "created",
        "expires",
        "last used",
      ];
      const cells = rows.map((row) => [
        row.id,
        row.company,
        row.name,
        row.status,
        row.scopes.join(" "),
        accessText(row.access),
        row.createdAt,
        row.expiresAt,
        row.lastUsedAt,
      ]);
      const none = "There are no keys yet. Create one: rollcall keys create --company <id>";
      print(options.json, rows, keys.length === 0 ? none : table(columns, cells));
    });
}

function revokeCommand(): Command {
  return new StoreCommand("revoke")
    .description("Revoke a key. Every server refuses it within a second.")
    .argument("<keyId>", "the id that rollcall keys list shows (key_...), not the key itself")
    .examples("rollcall keys revoke key_4f8a2c6e0b1d")
    .action(async (keyId: string, options: StoreOptions) => {
      const key = await withWriteStore(options.db, async (store) => {
        const stored = findSecret(await store.keys(), "key", keyId);
        if (stored.revokedAtMs === null) await store.updateSecret("keys", keyId, { revokedAtMs: Date.now() });
        return findSecret(await store.keys(), "key", keyId);
      });
      print(
        options.json,
        described(key, Date.now()),
        `Revoked key ${keyId}: servers refuse it within a second.`,
      );
    });
}

function rotateCommand(): Command {
  return new StoreCommand("rotate")
    .description(
      "Replace a key: create one with the same name and scopes. The old one works until the overlap is over.",
    )
    .argument("<keyId>", "the id that rollcall keys list shows")
    .option("--overlap <span>", "how long the old key still works", "24h")
    .option(
      "--expires <when>",
      "a duration such as 90d, or a day (default: the old key's original lifetime, from now)",
    )
    .option("--quiet", "print only the key")
    .examples("rollcall keys rotate key_4f8a2c6e0b1d --overlap 1h")
    .action(async (keyId: string, options: RotateOptions) => {
      // 0 ends the old key at once.
      const overlapMs = /^0[a-z]*$/.test(options.overlap) ? 0 : parseSpan("--overlap", options.overlap);
      await withWriteStore(options.db, async (store) => {
        const nowMs = Date.now();
        const old = findSecret(await store.keys(), "key", keyId);
        if (statusOf(old, nowMs) !== "active") {
          throw new CliFailure(
            `Key ${keyId} is ${statusOf(old, nowMs)}: create a new one with rollcall keys create`,
          );
        }
        const expiresAtMs =
          options.expires === undefined
            ? await expiryOfNext(store, old, nowMs)
            : parseExpiry(options.expires, nowMs);
        const made = newKey({ ...old, expiresAtMs }, nowMs);
        await store.createSecret(made.stored);
        const endsAtMs = Math.min(old.expiresAtMs ?? Number.POSITIVE_INFINITY, nowMs + overlapMs);
        // A server's clock may be behind this one, so an overlap of 0 revokes the key instead of letting it expire.
        await store.updateSecret(
          "keys",
          keyId,
          overlapMs === 0 ? { revokedAtMs: nowMs } : { expiresAtMs: endsAtMs },
        );
        printNewKey(made, options);
        if (!options.quiet && !options.json)
          console.log(`\nKey ${keyId} works until ${instantText(endsAtMs)}.`);
      });
    });
}

/** The expiry of the new key: the old key's lifetime, from now. Raises CliFailure if `old` seems rotated: that shortened its lifetime. */
async function expiryOfNext(store: WriteStore, old: StoredKey, nowMs: number): Promise<number | null> {
  if (old.expiresAtMs === null) return null;
  const next = (await store.keys(old.companyId)).find(
    (key) =>
      key.createdAtMs > old.createdAtMs &&
      key.name === old.name &&
      key.scopes.join() === old.scopes.join() &&
      statusOf(key, nowMs) === "active",
  );
  if (next !== undefined) {
    throw new CliFailure(
      `Key ${old.id} ends ${instantText(old.expiresAtMs)}, and a newer key has the same name: ${next.id}. If that key replaced it, ` +
        `rotate ${next.id}. Otherwise pass --expires: a rotated key's original lifetime is unknown`,
    );
  }
  return nowMs + (old.expiresAtMs - old.createdAtMs);
}

/** `away of departments dpt_1 managers wrk_1` */
function accessText({ level, ...ids }: KeyAccess): string {
  const some = Object.entries(ids).flatMap(([list, of]) => (of.length === 0 ? [] : [list, ...of]));
  return some.length === 0 ? level : `${level} of ${some.join(" ")}`;
}

function described(key: StoredKey, nowMs: number) {
  return {
    ...describedSecret(key, nowMs),
    scopes: key.scopes,
    access: key.access,
    lastUsedAt: instantText(key.lastUsedAtMs),
  };
}
