// rollcall copy
import type { Command, Option } from "commander";
import type { Contents } from "../../../store/store.ts";
import { type CopiedCompany, copyCompany } from "../../../store/transfer/copy.ts";
import { UsageError } from "../../failure.ts";
import { NEW_TABLES, openReadStore, openWriteStore, storeAt, withWriteStore } from "../../open.ts";
import { option, ownOption, RollcallCommand } from "../../options.ts";
import { print, table } from "../../output.ts";
import { withProgress } from "../../program.ts";

interface CopyOptions {
  readonly from: string;
  readonly to: string;
  readonly json?: boolean;
}

export function copyCommand(): Command {
  return new RollcallCommand("copy")
    .description(
      "Copy everything but hooks from one store to another: companies, keys, calendar feeds and facts, verified by digest.",
    )
    .addOption(storeOption("--from <store>", "the store to read"))
    .addOption(storeOption("--to <store>", "the store to fill, created if there is none"))
    .addOption(option("json"))
    .addHelpText(
      "after",
      `
Run it again to bring the target up to date: companies that differ are written anew. Companies, keys and feeds that
only the target has stay. Both stores may be served meanwhile, and imports into the source may run: the copy is of
the moment at which it begins.`,
    )
    .examples("rollcall copy --from ./rollcall.db --to postgres://rollcall@db.example.com/rollcall")
    .action(copy);
}

function storeOption(flags: string, help: string): Option {
  return ownOption(flags, `${help}: a file path, or a postgres:// address`).makeOptionMandatory();
}

async function copy(options: CopyOptions): Promise<void> {
  if (options.from === options.to) throw new UsageError("--from and --to are the same store: name two");
  const from = storeAt(options.from);
  const companies: CopiedCompany[] = [];
  const target = storeAt(options.to);
  let isNew = false;
  const outcome = () => {
    const copied = companies.map(({ id }) => id).join(", ") || "no company";
    const made = isNew ? `. ${target.shownAddress} is new: remove it if you do not want it` : "";
    return `copied as a whole: ${copied}; run it again to copy the others${made}`;
  };
  isNew = !(await target.exists());
  await withProgress(outcome, (show) =>
    from.snapshot((contents) => copyAll(contents, options.to, companies, (rows) => show(rows, null))),
  ).catch((error) => {
    // The error is about one company's transaction, and may say that nothing was changed. Earlier companies were copied.
    if (companies.length > 0) console.error(`rollcall: the copy failed on the way: ${outcome()}`);
    throw error;
  });
  print(
    options.json,
    { from: from.shownAddress, to: target.shownAddress, companies },
    companies.length === 0 ? "There are no companies to copy." : summary(companies),
  );
  const hooks = await withWriteStore(options.from, (store) => store.hooks.list());
  const names = hooks.map(({ id, companyId }) => `${id} of ${companyId}`);
  if (names.length > 0)
    console.error(
      `rollcall: note: hooks are not copied (${names.join(", ")}): make them in the target with rollcall hooks create`,
    );
  if (isNew && target.isOnServer) console.error(NEW_TABLES);
}

/** Copies each company, then adds it to `copied`. */
async function copyAll(
  from: Contents,
  db: string,
  copied: CopiedCompany[],
  onRows: (rows: number) => void,
): Promise<void> {
  await using store = await openWriteStore(db, { create: true });
  await using reader = await openReadStore(db);
  let before = 0;
  for (const company of await from.companies()) {
    const target = { store, touchKeys: reader.touchKeys.bind(reader) };
    const copy = await copyCompany(from, target, company, (rows) => onRows(before + rows));
    before += copy.rows;
    copied.push(copy);
  }
}

function summary(companies: readonly CopiedCompany[]): string {
  const cells = companies.map((company) => [
    company.id,
    company.rows,
    company.isChanged ? "yes" : "no",
    company.keys,
    company.feeds,
    company.digest.slice(0, 16),
  ]);
  const others = (kind: "otherKeys" | "otherCalendars") =>
    companies.reduce((sum, company) => sum + company[kind], 0);
  const [otherKeys, otherCalendars] = [others("otherKeys"), others("otherCalendars")];
  const lines = [table(["company", "rows", "changed", "keys", "feeds", "digest"], cells)];
  if (otherKeys > 0) lines.push(`${otherKeys} keys are only in the target; they stay.`);
  if (otherCalendars > 0) lines.push(`${otherCalendars} feeds are only in the target; they stay.`);
  lines.push("Verified: every company has the same digest on both sides.");
  return lines.join("\n");
}
