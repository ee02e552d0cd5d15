// rollcall closes create · list · verify · diff · delete (docs/record.md)
import type { Command } from "commander";
import { parsed } from "../../http/read-all.ts";
import { closed, closeObject, differencesList } from "../../http/routes/closes.ts";
import { pagesOf } from "../../http/routes/route.ts";
import { type CloseDifference, isCloseName } from "../../resources/closes.ts";
import { nameOf } from "../../resources/workers.ts";
import { type CompanyReader, NOTHING_ERASED, type StoredClose, unknownCompany } from "../../store/store.ts";
import { type Day, dayOfText, firstOfMonth, utcDayOf } from "../../time/day.ts";
import { CliFailure, UsageError } from "../failure.ts";
import { withReadStore, withWriteStore } from "../open.ts";
import { option, parseDate, RollcallCommand, StoreCommand, type StoreOptions } from "../options.ts";
import { instantText, print } from "../output.ts";
import { changeCompany } from "./companies.ts";
import { namedIn, policiesIn, RowsCommand, type ShowOptions, show, withCompany } from "./list-objects.ts";

interface CloseOptions extends StoreOptions {
  readonly company: string;
}

export function closesCommand(): Command {
  return new RollcallCommand("closes")
    .description("Close a period: keep its figures, and see which differ today, and why.")
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(verifyCommand())
    .addCommand(diffCommand())
    .addCommand(deleteCommand())
    .examples(
      "rollcall closes create 2026-10 --company acme --through 2026-10-31",
      "rollcall closes diff 2026-10 --company acme          whose figure differs today, and why",
    );
}

function closeCommand(name: string): RollcallCommand {
  return new StoreCommand(name).argument("<name>").addOption(option("company").makeOptionMandatory());
}

function createCommand(): Command {
  return closeCommand("create")
    .description("Close a period: keep its balances and movements as known now, and their SHA-256.")
    .requiredOption("--through <date>", "its last day, YYYY-MM-DD")
    .addHelpText(
      "after",
      "\nThe period begins on the day after the close before it, else with the month of its last day.",
    )
    .examples("rollcall closes create 2026-10 --company acme --through 2026-10-31")
    .action(async (name: string, options: CloseOptions & { readonly through: string }) => {
      if (!isCloseName(name))
        throw new UsageError(`"${name}" cannot name a close: use 1 to 64 of A-Z a-z 0-9 . _ -`);
      const lastDay = dayOfText(parseDate("--through", options.through));
      if (lastDay > utcDayOf(Date.now()))
        throw new UsageError(
          `--through: ${options.through} is still to come: today, in UTC, is the latest last day`,
        );
      const close = await newClose(options, name, lastDay);
      await withWriteStore(options.db, (store) =>
        changeCompany(store, options.company, async (transaction) => {
          if (await transaction.putClose(close)) return;
          throw new CliFailure(
            "The company was changed meanwhile, by an import or another close. Nothing was closed: create it again",
          );
        }),
      );
      const { sha256, knownOn, balances, minutes } = closeObject(close);
      const figures = `${counted(balances, "balance")}, ${minutes.toLocaleString("en-US")} minutes`;
      print(
        options.json,
        closeObject(close),
        `Closed ${name}: ${figures}, as known on ${knownOn}, sha256 ${sha256}`,
      );
    });
}

/** After every revision, even if the clock was set back since the newest one. */
const LAST_MS = Number.MAX_SAFE_INTEGER;

/** Computes the close of a period from what is known now. Raises CliFailure if it cannot be made. */
async function newClose(options: CloseOptions, name: string, lastDay: Day): Promise<StoredClose> {
  return withReadStore(options.db, async (store) => {
    const { revision, atMs } = await store.knownAt(options.company, LAST_MS);
    if ((await store.version(options.company)) === null) throw unknownCompany(options.company);
    if (revision === null || atMs === null)
      throw new CliFailure("Nothing was imported yet: there is nothing to close");
    const company = store.company(options.company);
    const closes = await company.closes();
    if (closes.some((close) => close.name === name))
      throw new CliFailure(`There is a close ${name} already: choose another name, or delete it first`);
    const later = closes.filter((close) => close.lastDay >= lastDay).map((close) => close.name);
    if (later.length > 0)
      console.error(
        later.length === 1
          ? `rollcall: note: ${later[0]} ends on this day or later, and was closed before: its figures stay what they are`
          : `rollcall: note: ${later.join(", ")} end on this day or later, and were closed before: their figures stay what they are`,
      );
    const before = closes.find((close) => close.lastDay < lastDay); // `closes` begins with the newest
    const firstDay = before === undefined ? firstOfMonth(lastDay) : before.lastDay + 1;
    const period = { firstDay, lastDay, revision, atMs };
    return {
      name,
      ...period,
      ...(await closed(company, period)),
      ...NOTHING_ERASED,
    };
  });
}

function listCommand(): Command {
  return new RowsCommand("list")
    .description("List the closes of a company, the newest first.")
    .examples("rollcall closes list --company acme")
    .action(async (options: ShowOptions) => {
      const closes = (await withCompany(options, (company) => company.closes())).map(closeObject);
      const columns = ["id", "from", "through", "knownOn", "balances", "minutes", "sha256"] as const;
      await show(
        options,
        closes,
        columns,
        closes.map((close) => columns.map((column) => close[column])),
      );
    });
}

/** The close with this name. Raises CliFailure if there is none. */
async function storedClose(company: CompanyReader, name: string): Promise<StoredClose> {
  const close = (await company.closes()).find((each) => each.name === name);
  if (close !== undefined) return close;
  throw new CliFailure(`There is no close ${name}: see rollcall closes list`);
}

/** The exit code of verify if erasures make it impossible to know whether a close differs. */
const CANNOT_BE_KNOWN = 5;

function verifyCommand(): Command {
  return closeCommand("verify")
    .description(
      "Compute a close again from the history. The exit status is 1 if it differs, and 5 if that cannot be known, because people or requests in it were erased.",
    )
    .examples("rollcall closes verify 2026-10 --company acme")
    .action(async (name: string, options: CloseOptions) => {
      const [close, again] = await withCompany(options, async (company) => {
        const stored = await storedClose(company, name);
        return [stored, await closed(company.known(stored.revision), stored)] as const;
      });
      const { erasedWorkers, erasedRequests, workersErasedMs } = close;
      const { digest: sha256, balances } = again;
      const isSame = close.digest === sha256 || (erasureExplains(close, balances) ? null : false);
      const workersErasedOn = instantText(workersErasedMs);
      print(
        options.json,
        { id: name, isSame, sha256, balances, erasedWorkers, erasedRequests, workersErasedOn },
        `${name} ${verdict(close, isSame, balances)}, sha256 ${sha256}`,
      );
      if (!isSame) process.exitCode = isSame === null ? CANNOT_BE_KNOWN : 1;
    });
}

function verdict(close: StoredClose, isSame: boolean | null, left: number): string {
  if (isSame) return `is what was closed: ${counted(left, "balance")}`;
  if (isSame === null)
    return `can no longer be verified: ${erasedText(close)} since, and nothing is known of them. Left: ${left} of ${counted(close.balances, "balance")}`;
  return `is not what was closed (${counted(close.balances, "balance")}, sha256 ${close.digest}): the store was changed by something else than Rollcall, or by another version with other rules. Now: ${counted(left, "balance")}`;
}

/** Whether erasures alone may explain a difference. If so, only balances of erased workers are gone; erased requests remove none. */
function erasureExplains(close: StoredClose, left: number): boolean {
  const { balances, erasedBalances, erasedRequests } = close;
  return erasedBalances + erasedRequests > 0 && left === balances - erasedBalances;
}

function erasedText({ erasedWorkers, erasedRequests, workersErasedMs }: StoredClose): string {
  const workers = `${counted(erasedWorkers, "worker")} (last by the import of ${instantText(workersErasedMs)})`;
  const requests = `${counted(erasedRequests, "request")} (by the company's retention)`;
  const erased = [...(erasedWorkers > 0 ? [workers] : []), ...(erasedRequests > 0 ? [requests] : [])];
  return `${erased.join(" and ")} ${erasedWorkers + erasedRequests === 1 ? "was" : "were"} erased`;
}

function diffCommand(): Command {
  return new RowsCommand("diff")
    .description("Show whose figures differ today, in minutes, and why. The causes add up to the difference.")
    .argument("<name>")
    .examples("rollcall closes diff 2026-10 --company acme --csv > october.csv")
    .action(async (name: string, options: ShowOptions) => {
      const [differences, names, closedPolicies] = await withCompany(options, async (company, today) => {
        const { revision } = await storedClose(company, name);
        const differences: CloseDifference[] = [];
        for await (const { docs } of pagesOf(differencesList, company, {}, today, name))
          differences.push(...docs.map((doc) => parsed<CloseDifference>(doc)));
        const closedPolicies = await policiesIn(company.known(revision));
        return [differences, await namedIn(company), closedPolicies] as const;
      });
      const workerOf = ({ workerId }: CloseDifference) => names.workers.get(workerId)?.legacyId ?? workerId;
      const policyOf = ({ policyId }: CloseDifference) =>
        (names.policies.get(policyId) ?? closedPolicies.get(policyId))?.name ?? policyId;
      differences.sort(
        (a, b) => compareTexts(workerOf(a), workerOf(b)) || compareTexts(policyOf(a), policyOf(b)),
      );
      const rows = differences.map((row) => {
        const worker = names.workers.get(row.workerId);
        return [
          workerOf(row),
          worker === undefined ? null : nameOf(worker),
          policyOf(row),
          ...[row.closedMinutes, row.nowMinutes, row.difference],
          row.causes
            .map(({ cause, sourceId, minutes }) => [cause, sourceId ?? [], signed(minutes)].flat().join(" "))
            .join("; "),
        ];
      });
      if (differences.length === 0 && !options.json && !options.csv && options.xlsx === undefined)
        console.log(`Nothing differs: every figure of ${name} is the same today.`);
      else
        await show(
          options,
          differences,
          ["worker", "name", "policy", "closedMinutes", "nowMinutes", "difference", "causes"],
          rows,
        );
    });
}

/** Orders E2 before E10. */
const { compare: compareTexts } = new Intl.Collator("en", { numeric: true });

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;
const signed = (minutes: number) => (minutes > 0 ? `+${minutes}` : String(minutes));

function deleteCommand(): Command {
  return closeCommand("delete")
    .description("Delete a close. The next import removes the history that only this close needed.")
    .addOption(option("yes"))
    .examples("rollcall closes delete 2026-10 --company acme --yes")
    .action(async (name: string, options: CloseOptions & { readonly yes?: boolean }) => {
      if (!options.yes)
        throw new UsageError(`deleting the close ${name} cannot be undone: add --yes to do it`);
      const isDeleted = await withWriteStore(options.db, (store) =>
        changeCompany(store, options.company, (transaction) => transaction.removeClose(name)),
      );
      if (!isDeleted) throw new CliFailure(`There is no close ${name}: see rollcall closes list`);
      print(options.json, { id: name, deleted: true }, `Deleted the close ${name}.`);
    });
}
