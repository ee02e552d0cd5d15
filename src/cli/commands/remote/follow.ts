// rollcall follow: writes a server's change feed as JSON lines (docs/syncing.md).
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import {
  type ChangePage,
  type ChangeResource,
  isRollcallError,
  Rollcall,
  RollcallError,
} from "../../../client/index.ts";
import { replaceFile } from "../../../replace-file.ts";
import { CHANGE_RESOURCES } from "../../../resources/changes.ts";
import { CliFailure, UsageError } from "../../failure.ts";
import { parseChoices, parseDate, parseUrl, RollcallCommand } from "../../options.ts";
import { writeRaw } from "../../output.ts";
import { stopSignal } from "../../program.ts";
import { RelationalCopy } from "./copy.ts";

interface Options {
  readonly url?: string;
  readonly after?: string;
  readonly positionFile?: string;
  readonly resources?: string;
  readonly exec?: string;
  readonly into?: string;
  readonly balances?: string;
  readonly once?: boolean;
}

/** The pause before an unreachable server is tried again, after the client's own retries. */
const PAUSE_MS = 5_000;

export function followCommand(): Command {
  return new RollcallCommand("follow")
    .description("Write a server's data, and then its changes, as JSON lines.")
    .option("--url <url>", "the server's address, such as https://rollcall.example.com")
    .option("--after <position>", "begin after this position, or `now` (default: everything)")
    .option("--position-file <file>", "continue from the position in this file, and keep it up to date")
    .option(
      "--resources <list>",
      `only some of ${CHANGE_RESOURCES.join(",")}, separated by commas (default: all)`,
    )
    .option("--exec <command>", "give each page's lines to this command instead of stdout")
    .option("--into <database>", "keep a copy with a table for each list: a SQLite file, or postgres://…")
    .option("--balances <date>", "with --into: also a table of the balances of this day")
    .option("--once", "stop when everything has been read")
    .addHelpText(
      "after",
      `
The key is in ROLLCALL_KEY. A line is an entry of the change feed: resource, id, removed, object. The position is stored
after a page's lines are written, or after --exec exited with 0. So some lines can come again after a crash. --into stores it in
the copy. The address of the copy can be in ROLLCALL_INTO, or in a file that ROLLCALL_INTO_FILE names.`,
    )
    .examples(
      "rollcall follow --url http://127.0.0.1:4010 --once > everything.jsonl",
      "rollcall follow --url http://127.0.0.1:4010 --position-file ./position --exec ./apply-changes",
      "rollcall follow --url http://127.0.0.1:4010 --into ./copy.db --once",
    )
    .action(async (options: Options) => {
      const rollcall = clientOf(options.url, process.env.ROLLCALL_KEY);
      const resources =
        options.resources === undefined
          ? undefined
          : parseChoices("--resources", [options.resources], CHANGE_RESOURCES);
      const copy = await copyOf(options, resources);
      try {
        const follower = new Follower(rollcall, resources, options, copy);
        await follower.follow(copy === null ? startOf(options) : await copy.position());
      } finally {
        await copy?.close();
      }
    });
}

/** Raises UsageError for a wrong address or key. The error does not show the key. */
function clientOf(url: string | undefined, key: string | undefined): Rollcall {
  const baseUrl = parseUrl(url);
  if (key === undefined || key === "")
    throw new UsageError("ROLLCALL_KEY is missing: it is the key that rollcall keys create prints");
  try {
    return new Rollcall({ baseUrl, apiKey: key, cacheCharacters: 0 });
  } catch (error) {
    throw new UsageError((error as TypeError).message.replace("apiKey", "ROLLCALL_KEY")); // it raises no other error
  }
}

/** Opens the copy; null without `--into`. Raises UsageError for options that exclude each other. */
async function copyOf(
  options: Options,
  resources: readonly ChangeResource[] | undefined,
): Promise<RelationalCopy | null> {
  const { into, balances } = options;
  if (into === undefined) {
    if (balances !== undefined) throw new UsageError("--balances needs --into");
    return null;
  }
  if (options.after !== undefined || options.positionFile !== undefined || options.exec !== undefined)
    throw new UsageError(
      "--into keeps its position in the copy: leave --after, --position-file and --exec out",
    );
  if (balances !== undefined) parseDate("--balances", balances);
  if (balances !== undefined && resources?.includes("balances") === false)
    throw new UsageError("--balances needs balances among --resources");
  const copy = await RelationalCopy.open(into, resources ?? CHANGE_RESOURCES);
  if (balances === undefined) await copy.forgetBalances();
  return copy;
}

/** The position to start after; null for the beginning. Raises CliFailure if the position file or its folder cannot be used. */
function startOf({ after, positionFile }: Options): string | null {
  if (positionFile === undefined) return after ?? null;
  usable(positionFile, () => accessSync(dirname(positionFile), constants.W_OK));
  if (!existsSync(positionFile)) return after ?? null;
  if (after !== undefined)
    throw new UsageError(
      `--after: ${positionFile} has a position already. Leave --after out to go on from it, or remove the file`,
    );
  const position = usable(positionFile, () => readFileSync(positionFile, "utf8")).trim();
  if (/^p\d+_[\w-]+$/.test(position)) return position;
  throw new CliFailure(
    `${positionFile} has no position: remove it to start from the beginning, or name another file`,
  );
}

/** Raises CliFailure if the position file or its folder cannot be used. */
function usable<T>(positionFile: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw new CliFailure(
      `--position-file: ${positionFile} cannot be used (${(error as NodeJS.ErrnoException).code}): check its folder, its permissions and the free space on the disk`,
    );
  }
}

class Follower {
  /** Whether the copy's balances are older than its other rows, or of another day. */
  #areBalancesOld = true;
  /** The position of the last page that was passed on; null at the beginning. */
  #after: string | null = null;
  /** Whether the user was told that the server is unreachable. */
  #isUnreachable = false;
  readonly #stopping = new AbortController();

  constructor(
    readonly rollcall: Rollcall,
    readonly resources: readonly ChangeResource[] | undefined,
    readonly options: Options,
    readonly copy: RelationalCopy | null,
  ) {}

  /** Passes on pages until a signal, or with `--once` until the end of the feed. */
  async follow(start: string | null): Promise<void> {
    void stopSignal().then(() => this.#stopping.abort());
    this.#after = start;
    for (;;) {
      try {
        if (await this.#passPages()) return;
      } catch (error) {
        if (error instanceof CliFailure) throw error;
        if (this.#stopping.signal.aborted) return;
        if (!(error instanceof RollcallError)) throw error;
        await this.#recover(error);
        if (this.#stopping.signal.aborted) return;
      }
    }
  }

  /** Passes on pages until the feed has no more. Returns whether to stop following. */
  async #passPages(): Promise<boolean> {
    const { resources } = this;
    const { signal } = this.#stopping;
    for await (const page of this.rollcall.changes.pages({ after: this.#after, resources, signal })) {
      if (this.#isUnreachable) console.error("rollcall: the server responds again.");
      this.#isUnreachable = false;
      if (this.copy !== null) await this.#apply(this.copy, page);
      else if (page.count > 0 && !(await this.#handOver(page))) return true;
      if (page.position !== this.#after) this.#keep(page.position);
      this.#after = page.position;
      if (!page.hasMore && this.options.once) return true;
    }
    return false;
  }

  /** Begins the copy anew if its position is gone. Waits for an unreachable server, except with `--once`. Raises CliFailure otherwise. */
  async #recover(error: RollcallError): Promise<void> {
    if (this.copy !== null && isRollcallError(error, "position_gone")) {
      await this.copy.startAgain();
      this.#after = null;
      return;
    }
    if (this.options.once || !isPassing(error)) throw new CliFailure(this.#advice(error));
    if (!this.#isUnreachable) console.error(`rollcall: ${error.message}. Trying again.`);
    this.#isUnreachable = true;
    await sleep(PAUSE_MS, undefined, { signal: this.#stopping.signal }).catch(() => {}); // a stop ends it
  }

  #advice(error: RollcallError): string {
    if (!isRollcallError(error, "position_gone")) return error.message;
    const { positionFile } = this.options;
    const again =
      positionFile === undefined ? "start again without --after" : `remove ${positionFile} and start again`;
    return `the server cannot continue from this position (position_gone): ${again}, and delete from your copy what it does not send`;
  }

  async #apply(copy: RelationalCopy, page: ChangePage): Promise<void> {
    await copy.apply(this.#after, page);
    this.#after = page.position; // the copy has the page, even if reading balances fails below
    this.#areBalancesOld ||= page.count > 0;
    if (page.hasMore) return;
    const day = this.options.balances;
    if (day !== undefined && this.#areBalancesOld) {
      await copy.replaceBalances(this.rollcall, day);
      this.#areBalancesOld = false;
    }
    await copy.erase();
  }

  /** Prints the page as lines, or pipes them to the command. Returns false if stdout takes no more. */
  async #handOver({ data }: ChangePage): Promise<boolean> {
    const lines = data.map((change) => `${JSON.stringify(change)}\n`).join("");
    const { exec } = this.options;
    if (exec === undefined) return await printed(lines);
    const child = Bun.spawn(["sh", "-c", exec], {
      stdin: new TextEncoder().encode(lines),
      stdout: "inherit",
      stderr: "inherit",
    });
    const code = await child.exited;
    if (code === 0) return true;
    throw new CliFailure(
      `--exec ended with ${child.signalCode ?? code}: the position was not stored, and the same changes come again next time`,
    );
  }

  /** Replaces the position file atomically, so that a crash leaves the old or the new position. */
  #keep(position: string): void {
    const { positionFile } = this.options;
    if (positionFile === undefined) return;
    usable(positionFile, () => replaceFile(positionFile, `${position}\n`));
  }
}

/** Whether the error may pass, so that a later attempt may succeed. */
function isPassing(error: RollcallError): boolean {
  return (
    isRollcallError(
      error,
      "network_error",
      "timeout",
      "unavailable",
      "timed_out",
      "overloaded",
      "rate_limited",
    ) ||
    error.status === 502 ||
    error.status === 504
  );
}

/** Writes to stdout. Returns false if it cannot; `output.ts` reports why. */
function printed(text: string): Promise<boolean> {
  return new Promise((resolve) => writeRaw(text, (error) => resolve(!error)));
}
