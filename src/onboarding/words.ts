// The words by which a draft recognises columns, kinds of files and values. Each language has a file in `words`.
import { normalised } from "../resources/cells.ts";
import { KINDS, type Kind } from "../resources/kinds.ts";
import { cellOf, FILE_FIELDS } from "../resources/registry.ts";
import { FULL_NAME } from "../resources/workers.ts";
import { DAY_MS } from "../time/day.ts";
import * as FILES from "./words/index.ts";

type List = readonly string[];

/**
 * The words of a language, all of them optional. Case, accents, spaces and punctuation are ignored in comparisons. `parts` are regular
 * expressions for parts of names and words, in their normalised form: `^annul`, `dias?$`.
 */
export interface Words {
  /** Names of columns with a person's id. */
  readonly person?: List;
  /** Names of each field's column by kind, surest first. */
  readonly columns?: { readonly [K in Kind]?: Readonly<Record<string, List>> };
  /** Prefixes of such names in exports: `employee_first_name`. */
  readonly prefixes?: { readonly [K in Kind]?: List };
  /** Names of the column of days, if each row is a day of leave. */
  readonly dayOfLeave?: List;
  /** Parts of file names, by the kind that they suggest. */
  readonly files?: { readonly [K in Kind]?: List };
  /** The words for each of our statuses and types. */
  readonly states?: Readonly<Record<string, List>>;
  readonly yes?: List;
  readonly no?: List;
  readonly halfDays?: List;
  readonly wholeDays?: List;
  readonly salutations?: List;
  /** Names of columns with whole names that begin with the last name. */
  readonly lastNameFirst?: List;
  /** Words between the first and last day in a cell. */
  readonly between?: List;
  readonly parts?: { readonly [P in Part]?: List };
}

const { en, de, fr, es, it, pt, nl, ...others } = FILES;
/** By language tag. The first language that matches is used. */
export const LANGUAGES: ReadonlyMap<string, Words> = new Map(
  Object.entries<Words>({ en, de, fr, es, it, pt, nl, ...others }),
);
const ALL = [...LANGUAGES.values()];

/** What a part of a word can mean. English has words for each. */
export type Part = keyof typeof en.parts;

/** How Odoo names references: `department_id/name`, `employee_id/id`. */
const REFERENCE = /_id\/(?:(\.?id)|(?:display_)?name)$/;

/** The form in which names and words are compared: letters without accents, digits, `#`, and the points of paths, not of abbreviations. */
export function nameKey(name: string): string {
  const own = name.replace(REFERENCE, (_, id) => (id === undefined ? "" : "_id"));
  return withoutMarks(normalised(own.replace(/\.(?=[\s_-]|$)/g, ""))).replace(/[^\p{L}\p{N}.#]/gu, "");
}

function withoutMarks(text: string): string {
  // The Turkish dotless i has the same capital as i.
  return text.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("ı", "i");
}

const keys = (list: List = []) => list.map(nameKey);
const keySet = (of: (words: Words) => List | undefined) => new Set(ALL.flatMap((words) => keys(of(words))));

/** The names of columns by kind and language: of its fields, and of people's ids. */
const NAMES = new Map(
  ALL.map((words) => {
    const person = keys(words.person);
    const byKind = KINDS.map((kind) => {
      const own: Readonly<Record<string, List>> = words.columns?.[kind] ?? {};
      const ofLeave: Readonly<Record<string, List>> = words.columns?.requests ?? {};
      // Adjustments name people and kinds of leave as requests do.
      const asInRequests = {
        workerId: [...(own.workerId ?? []), ...(ofLeave.workerId ?? [])],
        policyId: [...(own.policyId ?? []), ...(ofLeave.timeOffPolicyId ?? [])],
      };
      const names = Object.entries(kind === "adjustments" ? { ...own, ...asInRequests } : own).map(
        ([field, list]) => [field, keys(list)] as const,
      );
      const idField = kind === "workers" ? "legacyId" : "workerId";
      const all = new Map<string, string[]>(names);
      return [kind, all.set(idField, [...person, ...(all.get(idField) ?? [])])] as const;
    });
    return [words, new Map(byKind)];
  }),
);

/** The fields that come first, in this order, when several could have the same column. */
const FIRST = ["legacyId", ...FULL_NAME.parts, FULL_NAME.name, "workerId"];

type FieldNames = ReadonlyMap<string, List>;

function namesIn(languages: readonly Words[], kind: Kind, prefix = ""): Map<string, List> {
  const named = new Map<string, List>(FIRST.map((field) => [field, []]));
  for (const words of languages)
    for (const [field, names] of NAMES.get(words)?.get(kind) ?? [])
      named.set(field, [...(named.get(field) ?? []), ...names.map((name) => prefix + name)]);
  return named;
}

/** The names of each field's column; for a field without any, its own name. Languages that know most of the columns come first. */
export function fieldNames(kind: Kind, columns: readonly string[]): FieldNames {
  const known = (words: Words) => {
    const all = new Set([...NAMES.get(words)!.get(kind)!.values()].flat());
    return columns.filter((column) => all.has(column)).length;
  };
  const languages = ALL.map((words) => ({ words, count: known(words) })).sort((a, b) => b.count - a.count);
  const named = namesIn(
    languages.map(({ words }) => words),
    kind,
  );
  for (const field of FILE_FIELDS[kind])
    if (field !== "id" && !named.has(field) && cellOf(kind, field)?.isRequired !== true)
      named.set(field, [nameKey(field)]);
  return named;
}

/** Names with a prefix of their own language: `leave start date`, but not `approved` before the Portuguese `até`. */
const PREFIXED = new Map(
  KINDS.map((kind) => [
    kind,
    ALL.flatMap((words) => keys(words.prefixes?.[kind]).map((prefix) => namesIn([words], kind, prefix))),
  ]),
);

/** The names of each field's column, in turn: without a prefix, then with each. */
export function namesInTurn(kind: Kind, columns: readonly string[]): readonly FieldNames[] {
  return [fieldNames(kind, columns), ...PREFIXED.get(kind)!];
}

export function isNamedLikeKind(kind: Kind, file: string): boolean {
  const name = nameKey(file);
  return ALL.some((words) => keys(words.files?.[kind]).some((part) => name.includes(part)));
}

const PATTERNS = new Map<string, RegExp>(
  Object.keys(en.parts).map((part) => {
    const all = ALL.flatMap(({ parts }) => parts?.[part as Part] ?? []); // every language may have it
    return [part, new RegExp(all.map(withoutMarks).join("|"))];
  }),
);

/** Whether a name or word has a part with this meaning. */
export function has(part: Part, word: string): boolean {
  return PATTERNS.get(part)!.test(nameKey(word));
}

const YES = keySet(({ yes }) => yes);
const NO = keySet(({ no }) => no);
const HALF_DAYS = keySet(({ halfDays }) => halfDays);
const WHOLE_DAYS = keySet(({ wholeDays }) => wholeDays);
const SALUTATIONS = keySet(({ salutations }) => salutations);
const DAYS_OF_LEAVE = keySet(({ dayOfLeave }) => dayOfLeave);
const LAST_NAME_FIRST = keySet(({ lastNameFirst }) => lastNameFirst);

export const isYes = (word: string) => YES.has(nameKey(word));
export const isYesOrNo = (word: string) => isYes(word) || NO.has(nameKey(word));
export const isDayOfLeave = (key: string) => DAYS_OF_LEAVE.has(key);
export const isLastNameFirst = (column: string) => LAST_NAME_FIRST.has(nameKey(column));

/** Whether a cell means nobody: `-`, `No manager`. */
export const isNobody = (cell: string) => nameKey(cell) === "" || has("nobody", cell);

/** Whether a column such as `Title` has salutations and not jobs. */
export function areSalutations(values: List): boolean {
  return values.length > 0 && values.every((value) => SALUTATIONS.has(nameKey(value).replaceAll(".", "")));
}

const ACCESS_ROLES: ReadonlySet<string> = new Set(
  [
    ...["admin", "administrator", "super admin", "owner", "account owner", "hr admin", "hr administrator"],
    ...["manager", "line manager", "team manager", "team lead", "supervisor", "approver"],
    ...["employee", "staff", "member", "team member", "user", "standard", "standard user", "basic"],
    ...["viewer", "editor", "guest", "read only", "none", "employee self service", "manager self service"],
  ].map(nameKey),
);

/** Whether a column such as `Role` says what people may do in the program, and not their jobs. */
export function areAccessRoles(values: List): boolean {
  return values.length > 0 && values.every((value) => ACCESS_ROLES.has(nameKey(value)));
}

/** What separates two days in a cell: signs, and the words of all languages with spaces around them. */
export const BETWEEN_DAYS: List = [
  ...[" - ", " \u2013 ", " \u2014 ", "\uff5e", "~", "\u2192"],
  ...new Set(ALL.flatMap(({ between = [] }) => between.map((word) => ` ${word} `))),
];

/** Days of the week in all languages, whole and short, English ones also in the plural. */
const WEEKDAYS = new Set(
  [...LANGUAGES.keys()].flatMap((language) =>
    (["long", "short"] as const).flatMap((weekday) => {
      const { format } = new Intl.DateTimeFormat(language, { weekday, timeZone: "UTC" });
      return [...Array(7).keys()].map((day) => nameKey(format(day * DAY_MS)));
    }),
  ),
);

/** Whether a text has days of the week alone: `Mon`, `Mondays, Fridays`. */
export function areWeekdays(text: string): boolean {
  const all = text.split(/[^\p{L}\p{M}]+/u).filter((word) => word !== "");
  return all.length > 0 && all.map(nameKey).every((word) => WEEKDAYS.has(word.replace(/days$/, "day")));
}

/** Whether these values tell half days from whole days. */
export function areHalfDays(values: List): boolean {
  const words = [...new Set(values.map(nameKey))];
  const isHalf = (word: string) => HALF_DAYS.has(word);
  return words.some(isHalf) && words.every((word) => isHalf(word) || WHOLE_DAYS.has(word));
}

/** Whether all values say how long leave is, as `Full Day` or `Partial Day (Bulk)` do, and not of which kind. */
export function areDayLengths(values: List): boolean {
  const bare = values.map((value) => nameKey(value.replace(/\([^)]*\)/g, "")));
  return bare.every((word) => HALF_DAYS.has(word) || WHOLE_DAYS.has(word));
}

/** Whether a status means that a request was cancelled. */
export function isCancelled(word: string): boolean {
  return has("cancelled", word) && !has("notYetCancelled", word);
}

/** Whether nothing else can be meant. `Cancellation` may be a wish: in Jorani, such leave counts until a manager grants it. */
export function isSurelyCancelled(word: string): boolean {
  return isCancelled(word) && !has("cancellation", word);
}

/** The choice that a word means; null if no language knows it. */
export function meaningOf(word: string, choices: List): string | null {
  const wanted = nameKey(word.replace(/\(\d+[.,]\d+\)$/, "")); // Taken(3.00), and not Approved(1)
  const means = (choice: string) => ALL.some((words) => keys(words.states?.[choice]).includes(wanted));
  const meant = choices.find((choice) => nameKey(choice) === wanted) ?? choices.find(means);
  // "Full-Time" as an employment status
  const isEmployed = choices.includes("active") && (means("employee") || means("contractor"));
  return meant ?? (isEmployed ? "active" : null);
}

/** Statuses that say in different words that leave is approved, as two steps do; none if all say it in one. `Taken` is no step. */
export function approvalsIn(statuses: List): List {
  const approvals = statuses.filter((word) => meaningOf(word, ["approved"]) !== null && !has("taken", word));
  // `Approved`, `Auto approved`; `Approuvé`, `Approuvée`
  const isAlike = (word: string, other: string) => nameKey(other).includes(nameKey(word).slice(0, 5));
  const areAlike = approvals.some((word) => approvals.every((other) => isAlike(word, other)));
  return areAlike ? [] : approvals;
}
