// Which rows of a file a draft leaves out: totals, cancelled leave, people who are gone, kinds of hours.
import { shown } from "../import/row-errors.ts";
import type { Kind } from "../resources/kinds.ts";
import { cellOf } from "../resources/registry.ts";
import { SATURDAY, weekdayOf } from "../time/day.ts";
import { dayReaderOf } from "./draft-proofs.ts";
import {
  areYears,
  FIELD,
  grantColumns,
  isOneDayEach,
  namedFields,
  totalsIn,
  unusedColumns,
} from "./guess.ts";
import type { SampleColumn } from "./sample.ts";
import { datesIn } from "./sample-dates.ts";
import { type FileSection, MAX_CHOICES } from "./section.ts";
import * as words from "./words.ts";

export const totalsNote = ({ column, values }: NonNullable<ReturnType<typeof totalsIn>>) =>
  `rows with ${values.map(shown).join(" or ")} in ${shown(column)} look like totals or remarks and are left out`;

/** The words of rows to skip, by column: sums, and cancelled requests. */
export function skipped(section: FileSection): Record<string, string[]> {
  const { kind, guess, people, questions, notes } = section;
  const { sample, fields } = guess;
  const skip: Record<string, string[]> = {};
  const totals = totalsIn(guess, people);
  if (totals !== null) {
    skip[totals.column] = totals.values;
    notes.push(totalsNote(totals));
  }
  for (const { column, grants } of kind === "requests" ? grantColumns(sample.columns, fields) : []) {
    skip[column.name] = grants;
    notes.push(
      `rows with ${grants.map(shown).join(" or ")} in ${shown(column.name)} are not leave and are left out; import them as adjustments where balances need them`,
    );
  }
  skipByState(section, skip);
  const ofHours = unusedColumns(sample.columns, fields).find(areKindsOfHours);
  if (kind === "work_hours" && ofHours !== undefined) {
    skip[ofHours.name] = ["?"];
    questions.push(
      `skip: which of ${[...new Set(ofHours.values)].map(shown).join(", ")} in ${shown(ofHours.name)} are not hours that were worked, such as leave? List them in place of "?"`,
    );
  }
  if (kind === "adjustments") askAboutLedger(section, skip);
  if (kind === "holidays") askAboutKindsOfHolidays(section, skip);
  if (kind !== "requests") return skip;
  const policy = fields.get(FIELD.policy);
  askAboutDaysOfAll(section, skip);
  const isCancelled = (type: string) => type.split(/[^\p{L}\p{M}]+/u).some(words.isCancelled);
  const kinds = [...new Set(policy?.values)];
  const noLeave = kinds.filter((type) => isCancelled(type) || words.has("grant", type));
  if (noLeave.length > 0) {
    skip[policy!.name] = ["?"];
    questions.push(
      `skip: which of ${noLeave.map(shown).join(", ")} in ${shown(policy!.name)} are cancelled, or what people got or lost, so that they are left out? List them in place of "?", or remove the line`,
    );
  }
  return skip;
}

/** Asks whether a ledger's rows of leave are in a file of leave, too: `used` beside `accrual` and `carry_over`. */
function askAboutLedger({ guess, questions }: FileSection, skip: Record<string, string[]>): void {
  for (const { column, grants, all } of grantColumns(guess.sample.columns, guess.fields)) {
    const others = all.filter((word) => !grants.includes(word)).map(shown);
    skip[column.name] = ["?"];
    questions.push(
      `skip: are rows with ${others.join(" or ")} in ${shown(column.name)} leave that is in another file, too? Then write ${others.join(", ")} in place of "?", so that it counts once; else remove the line`,
    );
  }
}

/** Skips rows that their status cancels, and asks about rows that only another column cancels. */
function skipByState(section: FileSection, skip: Record<string, string[]>): void {
  const { kind, guess } = section;
  const { sample, fields } = guess;
  const isOfRequests = kind !== "workers" && kind !== "requests";
  const status = (isOfRequests ? namedFields("requests", sample).fields : fields).get(FIELD.status);
  const isLeftOut = kind === "requests" ? words.isSurelyCancelled : isNotGranted;
  const leftOut = kind === "workers" ? [] : [...new Set(status?.values)].filter(isLeftOut);
  if (leftOut.length > 0) skip[status!.name] = leftOut;
  const isTold = stateTeller(kind, status);
  const used = new Set(fields.values());
  used.delete(fields.get("reason")!);
  for (const column of sample.columns) {
    const gone = used.has(column) ? null : goneIn(kind, column);
    if (gone?.isCertain === true) skip[column.name] = gone.values;
    if (gone === null || gone.isCertain) continue;
    const untold = column.cells.filter(
      (cell, row) =>
        gone.values.includes(cell) && !isTold(status?.cells[row] ?? "", gone.isDated || isRefusedCode(cell)),
    );
    if (untold.length > 0) askAboutGone(section, skip, column.name, untold, gone.isDated);
  }
}

/** Asks whether rows with these cells are cancelled. `isDated`: the cells are days of cancellations. */
function askAboutGone(
  { kind, questions }: FileSection,
  skip: Record<string, string[]>,
  column: string,
  cells: readonly string[],
  isDated: boolean,
): void {
  const listed = [...new Set(cells)].map(shown).join(", ");
  const [what, answer] = isDated ? [`a value, such as ${shown(cells[0])},`, '"*"'] : [listed, listed];
  const isPending = cells.some((word) => words.meaningOf(word, ["pending"]) !== null);
  const state =
    kind !== "requests" ? "gone" : isPending ? "cancelled, or not approved" : "cancelled or refused";
  const others = skip[column] ?? [];
  skip[column] = ["?", ...others];
  questions.push(
    `skip: are ${kind} with ${what} in ${shown(column)} ${state}? Write ${answer} to leave them out, or remove the ${others.length > 0 ? '"?"' : "line"}`,
  );
}

/** Tells whether a status says already that its row does not count. */
function stateTeller(kind: Kind, status: SampleColumn | undefined) {
  if (kind === "requests")
    return (word: string, isWithdrawn: boolean) =>
      isRefused(word) || (!isWithdrawn && words.meaningOf(word, ["pending"]) !== null);
  if (kind !== "workers") return isNotGranted;
  const inactive = status === undefined ? [] : (goneIn(kind, status)?.values ?? []);
  return (word: string) => inactive.includes(word) || words.meaningOf(word, ["inactive"]) !== null;
}

/** The cells that say that their row does not count: a flag (`isDeleted`), the day of a cancellation, or a second status; else null. */
function goneIn(kind: Kind, { name, values }: SampleColumn) {
  const all = [...new Set(values)];
  const isOfWords = all.length <= MAX_CHOICES && !all.some((value) => value.length > LONGEST_STATE);
  const isState = (word: string) =>
    isRefused(word) || words.meaningOf(word, ["pending", "approved"]) !== null;
  const isNot = all.every(isState)
    ? (word: string) => words.meaningOf(word, ["approved"]) === null
    : isRefusedCode;
  // `Offer declined` or `No show` in a list of candidates
  const isOfNobody = (word: string) =>
    word.split(/[^\p{L}\p{M}]+/u).some(isRefused) || words.has("neverStarted", word);
  const states = isOfWords && kind === "requests" ? all.filter(isNot) : [];
  if (isOfWords && kind === "workers" && words.has("stage", name)) states.push(...all.filter(isOfNobody));
  if (states.length > 0) return { values: states, isCertain: false, isDated: false };
  const bare = name.replace(/^is[\s_]?|[\s_]?(?:at|on|date)$/gi, "");
  const [isRefusal, isGone] = [isRefused(bare), words.has("reversed", bare)];
  const isFlag = values.every(words.isYesOrNo);
  const isApproval = kind !== "workers" && words.meaningOf(bare, ["approved"]) !== null;
  if (isFlag && !isRefusal && !isGone && !isApproval && words.meaningOf(bare, ["active"]) === null)
    return null;
  if (isFlag) {
    const gone = all.filter((value) => words.isYes(value) === (isRefusal || isGone));
    const isCertain = kind === "requests" && words.isCancelled(bare);
    return gone.length === 0 ? null : { values: gone, isCertain, isDated: false };
  }
  const isOfDays = () => datesIn(values).formats.length > 0;
  return (kind === "requests" && isRefusal) || (isGone && isOfDays())
    ? { values: all, isCertain: false, isDated: true }
    : null;
}

/** The share of people who have the same on a day if all have it. */
const ALL = 0.8;
/** The share of the days of all people that have a cell in a roster. */
const MOST = 0.5;
const FEWEST_PEOPLE = 3;

/** Asks about cells of days that may be no leave: on Saturdays and Sundays alone, of everybody, or without a word, such as `/`. */
function askAboutDaysOfAll({ guess, source, questions }: FileSection, skip: Record<string, string[]>): void {
  const [policy, worker, start] = [FIELD.policy, FIELD.worker, FIELD.start].map((field) =>
    guess.fields.get(field),
  );
  if (!isOneDayEach(guess) || policy === undefined || worker === undefined) return;
  const dayOf = dayReaderOf(source, FIELD.start);
  const people = new Set(worker.values).size;
  const isWeekend = (cell: string) => {
    const day = dayOf(cell);
    return day !== null && weekdayOf(day) >= SATURDAY;
  };
  const isOfSomebody = (row: number) =>
    worker.cells[row]!.trim() !== "" && !words.has("total", worker.cells[row]!);
  const rows = [...policy.cells.keys()].filter(isOfSomebody);
  const kinds = Map.groupBy(rows, (row) => policy.cells[row]!.trim());
  kinds.delete("");
  // Where most days of most people have a cell, it may be a shift.
  const dated = rows.flatMap((row) => dayOf(start!.cells[row]!) ?? []);
  const span = Math.max(...dated) - Math.min(...dated) + 1;
  const isRoster = people >= FEWEST_PEOPLE && dated.length > 0 && dated.length >= span * people * MOST;
  const doubtful = [...kinds].filter(([kind, rows]) => {
    const days = new Set(rows.map((row) => start!.cells[row]!));
    const isOfAll = people >= FEWEST_PEOPLE && rows.length >= days.size * people * ALL;
    const isOdd = isOfAll || [...days].every(isWeekend) || !/[\p{L}\p{N}]/u.test(kind);
    return isRoster || (rows.length > 1 && isOdd);
  });
  if (doubtful.length === 0) return;
  const why = isRoster
    ? "People have one on most days"
    : "They are everybody's, on Saturdays and Sundays alone, or no word";
  skip[policy.name] = ["?"];
  questions.push(
    `skip: are ${doubtful.map(([kind]) => shown(kind)).join(", ")} in ${shown(policy.name)} leave? ${why}. List those that are weekends, holidays or days at work in place of "?", or remove the line`,
  );
}

/** Longer texts are remarks. */
const LONGEST_STATE = 40;
const isRefused = (word: string) => words.isCancelled(word) || words.meaningOf(word, ["denied"]) !== null;
/** Also `ORA_WITHDRAWN`. `NOT_CANCELLED` may be meant, so this is asked. */
const isRefusedCode = (word: string) => isRefused(word) || word.split("_").some(isRefused);

/** Whether a column tells hours that were worked from leave: by its name, or by a word for leave. */
function areKindsOfHours({ keys, values }: SampleColumn): boolean {
  const kinds = words.fieldNames("requests", keys).get(FIELD.policy) ?? [];
  const count = new Set(values).size;
  const isNamed =
    keys.some((key) => kinds.includes(key)) || values.some((word) => words.has("leaveKind", word));
  return isNamed && count > 1 && count <= MAX_CHOICES;
}

/** Whether a status means that a requested amount does not count. */
function isNotGranted(word: string): boolean {
  const meant = words.meaningOf(word, cellOf("requests", FIELD.status)?.choices ?? []);
  return words.isCancelled(word) || (meant !== null && meant !== "approved");
}

/** More values are no kinds. */
const MOST_KINDS = 6;

/** `Type` of `National` and `Optional`: some days may be no days off for everybody. */
function askAboutKindsOfHolidays({ guess, questions }: FileSection, skip: Record<string, string[]>): void {
  const areKinds = ({ values }: SampleColumn) => {
    const { size } = new Set(values);
    return size > 1 && size < values.length && size <= MOST_KINDS;
  };
  const [kinds] = unusedColumns(guess.sample.columns, guess.fields)
    .filter(
      (column) =>
        areKinds(column) &&
        !words.has("number", column.name) &&
        !areYears(column.values) &&
        !column.values.every(words.areWeekdays),
    )
    .sort((a, b) => new Set(a.values).size - new Set(b.values).size);
  if (kinds === undefined) return;
  skip[kinds.name] = ["?"];
  questions.push(
    `skip: which of ${[...new Set(kinds.values)].map(shown).join(", ")} in ${shown(kinds.name)} are no days off for everybody with the calendar? List them in place of "?", or remove the line`,
  );
}
