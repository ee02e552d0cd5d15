// Parses values of options. An error names the option, what it got and what is right.
import { readFileSync } from "node:fs";
import ms from "ms";
import { baseAddress } from "../client/transport.ts";
import { didYouMean } from "../resources/cells.ts";
import { DAY_MS, parseDay } from "../time/day.ts";
import { isTimeZone } from "../time/zone.ts";
import { CliFailure, UsageError } from "./failure.ts";

export function parseWhole(flag: string, text: string, from: number, to: number): number {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= from && value <= to) return value;
  throw new UsageError(`${flag}: "${text}" is not a whole number from ${from} to ${to}`);
}

/** A percentage such as `40%`, as a share. */
export function parseShare(flag: string, text: string): number {
  const percent = /^(\d{1,3}(?:\.\d+)?) ?%$/.exec(text);
  if (percent !== null && Number(percent[1]) <= 100) return Number(percent[1]) / 100;
  throw new UsageError(`${flag}: "${text}" is not a share from 0% to 100%: write for example 40%`);
}

/** A server's address without a slash at its end. The error shows no password. */
export function parseUrl(text: string | undefined): string {
  if (text === undefined || text === "")
    throw new UsageError("--url or ROLLCALL_URL is missing: give the server's address");
  try {
    return baseAddress(text);
  } catch (error) {
    throw new UsageError((error as TypeError).message.replace("baseUrl", "--url")); // all that it raises
  }
}

/** A day as `YYYY-MM-DD`. */
export function parseDate(flag: string, text: string): string {
  if (parseDay(text) !== null) return text;
  throw new UsageError(`${flag}: "${text}" is not a day: write YYYY-MM-DD`);
}

/** A name. Control characters are refused, because lists print names to a terminal. */
export function parseName(text: string): string {
  if (!/\p{Cc}/u.test(text)) return text;
  throw new UsageError(`--name: ${JSON.stringify(text)} has control characters: write a name on one line`);
}

/** Longer than any key needs, and within the range of a date. */
const DURATION_MAX_DAYS = 36_500;

/** A duration such as `24h` or `90d`, in milliseconds: at most a hundred years. */
export function parseSpan(flag: string, text: string, orElse = ""): number {
  const durationMs = /^\d+(\.\d+)?\s?[a-z]+$/i.test(text) ? ms(text as ms.StringValue) : undefined; // checked by what it gives
  if (durationMs !== undefined && durationMs > DURATION_MAX_DAYS * DAY_MS)
    throw new UsageError(`${flag}: "${text}" is more than ${DURATION_MAX_DAYS}d: give a shorter duration`);
  if (durationMs !== undefined && durationMs > 0) return durationMs;
  throw new UsageError(`${flag}: "${text}" is not a duration: write for example 24h or 90d${orElse}`);
}

/** A duration from now, or the end of a day in UTC. Returns an instant in milliseconds. */
export function parseExpiry(flag: string, text: string, nowMs: number): number {
  const day = parseDay(text);
  if (day === null) return nowMs + parseSpan(flag, text, " or a day such as 2027-12-31");
  const endOfDayMs = (day + 1) * DAY_MS;
  if (endOfDayMs > nowMs) return endOfDayMs;
  throw new UsageError(`${flag}: ${text} is over: give a later day`);
}

/** The words of some texts: each is one word, or several separated by commas. */
export function wordsOf(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => text.split(","))
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

export function parseChoice<T extends string>(flag: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw new UsageError(`${flag}: "${text}" is not one of ${choices.join(", ")}`);
}

/** Some of the choices, in their order. */
export function parseChoices<T extends string>(
  flag: string,
  texts: readonly string[],
  choices: readonly T[],
): T[] {
  const words = wordsOf(texts).map((word) => parseChoice(flag, word, choices));
  return choices.filter((choice) => words.includes(choice));
}

/** A company's id: 1 to 64 of a–z 0–9 and -. */
export function parseCompanyId(text: string, flag?: string): string {
  if (/^[a-z0-9-]{1,64}$/.test(text)) return text;
  const prefix = flag === undefined ? "" : `${flag}: `;
  throw new UsageError(`${prefix}${JSON.stringify(text)} is not a company id: use 1 to 64 of a-z 0-9 -`);
}

/** A time zone of the IANA database. */
export function parseTimeZone(text: string): string {
  if (isTimeZone(text)) return text;
  const meant = didYouMean(text, Intl.supportedValuesOf("timeZone"));
  throw new UsageError(
    `--time-zone: ${JSON.stringify(text)} is not a time zone such as Europe/Lisbon${meant}`,
  );
}

/** The same, or null for "none". */
export function parseTimeZoneOrNone(text: string): string | null {
  return text === "none" ? null : parseTimeZone(text);
}

/** The text of the file that a flag names. Raises CliFailure if it cannot be read. */
export function readText(flag: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CliFailure(`${flag}: ${path} cannot be read: check the path and its permissions`, {
      cause: error,
    });
  }
}
