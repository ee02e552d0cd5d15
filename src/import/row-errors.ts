// What is wrong with the rows of an import, by file and line, and the error that ends it.
import { printable } from "../printable.ts";
import type { Kind } from "../store/tables.ts";

/** How many mistakes are reported; rows that have only further mistakes are counted. */
const MAX_MISTAKES = 100;
/** More rows with the same mistake are reported together. */
const MAX_SINGLE_ROWS = 3;
const MAX_SHOWN_VALUES = 5;
/** Wrong values that are remembered with their places, so that each is reported once. */
const MAX_REMEMBERED = 10_000;
/** Different values of one mistake that are counted; others are not reported. */
const MAX_COUNTED_VALUES = 1000;

const MAX_SHOWN_CHARACTERS = 80;

/** Where a row came from: the file as the operator knows it, and the line its record starts on (null: none). */
export interface Place {
  readonly file: string;
  readonly line: number | null;
  /** The number of the element, if elements of a JSON array share a line. */
  readonly item?: number | undefined;
}

/** One thing that is wrong with a row. */
export interface RowProblem {
  /** The field, where it is one field. */
  readonly field: string | null;
  /** The value as messages show it; null if there is none. */
  readonly value: string | null;
  /** Follows the value, and is the same for every value that is wrong in this way. */
  readonly message: string;
  /** What this value was probably meant to be. */
  readonly hint?: string | undefined;
  /** What the message says of this row alone, such as the value of another field. */
  readonly other?: string | undefined;
  /** What to do; for many rows at once it may be put otherwise. */
  readonly advice?: { readonly one: string; readonly many: string } | undefined;
}

/** An import that was refused as a whole: nothing changed. The message says what is wrong, one mistake a line. */
export class ImportRefused extends Error {
  override readonly name = "ImportRefused";

  constructor(
    readonly mistakes: readonly string[],
    /** Bad rows beyond these. */
    readonly moreRows = 0,
  ) {
    super([...mistakes, ...(moreRows > 0 ? [`… and ${moreRows} more bad rows`] : [])].join("\n"));
  }
}

/** All rows of a file that have the same mistake. */
interface Mistake {
  readonly place: Place;
  readonly problem: RowProblem;
  rows: number;
  /** The first rows, which are reported one by one if there are no more. */
  readonly first: string[];
  readonly values: Map<string, number>;
  /** How many rows have each hint. */
  readonly hints: Map<string, number>;
}

/** Collects bad rows. The same mistake in many rows is reported once, with the values and how often each comes. */
export class RowErrors {
  readonly #mistakes = new Map<string, Mistake>();
  /** What is wrong, with its place: several sources may read one record, and a query may make several rows of it. */
  readonly #told = new Set<string>();
  #rows = 0;
  #untoldRows = 0;

  /** With `files`, mistakes come in the order of these files, by line; those of other places come first. Without, as they were noted. */
  constructor(private readonly files: readonly string[] = []) {}

  /** How many rows are bad. */
  get count(): number {
    return this.#rows;
  }

  /** Notes one bad row with all its problems. Returns false if all were reported of its record before. */
  add(place: Place, problems: readonly (RowProblem | string)[]): boolean {
    const all = problems.map((problem) =>
      typeof problem === "string" ? { field: null, value: null, message: problem } : problem,
    );
    const where = placeText(place);
    // One wrong value may fill several fields.
    const key = ({ field, value, message }: RowProblem) => `${where}\0${value ?? field}\0${message}`;
    const untold = all.filter((problem) => !this.#told.has(key(problem)));
    if (untold.length === 0 && all.length > 0) return false;
    if (this.#told.size < MAX_REMEMBERED) for (const problem of untold) this.#told.add(key(problem));
    this.#rows++;
    let isTold = false;
    for (const problem of untold) isTold = this.#note(place, problem) || isTold;
    if (!isTold) this.#untoldRows++;
    return true;
  }

  #note(place: Place, problem: RowProblem): boolean {
    const key = `${place.file}\0${problem.field}\0${problem.message}`;
    let mistake = this.#mistakes.get(key);
    if (mistake === undefined) {
      if (this.#mistakes.size >= MAX_MISTAKES) return false;
      mistake = {
        place,
        problem,
        rows: 0,
        first: [],
        values: new Map(),
        hints: new Map(),
      };
      this.#mistakes.set(key, mistake);
    }
    mistake.rows++;
    if (mistake.first.length < MAX_SINGLE_ROWS)
      mistake.first.push(`${placeText(place)}: ${problemText(problem)}`);
    const { hint = "" } = problem;
    if (hint !== "" && (mistake.hints.has(hint) || mistake.hints.size < MAX_COUNTED_VALUES))
      mistake.hints.set(hint, (mistake.hints.get(hint) ?? 0) + 1);
    if (problem.value === null) return true;
    const known = mistake.values.get(problem.value);
    if (known !== undefined || mistake.values.size < MAX_COUNTED_VALUES)
      mistake.values.set(problem.value, (known ?? 0) + 1);
    return true;
  }

  /** What is wrong, one text a mistake, or a row where few rows have it. */
  mistakes(): string[] {
    const rank = ({ place: { file } }: Mistake) => this.files.indexOf(file);
    const line = ({ place }: Mistake) => place.line ?? Number.MAX_SAFE_INTEGER; // what concerns the whole file
    const mistakes = [...this.#mistakes.values()];
    if (this.files.length > 0) mistakes.sort((a, b) => rank(a) - rank(b) || line(a) - line(b));
    return mistakes.flatMap((mistake) =>
      mistake.rows <= MAX_SINGLE_ROWS ? mistake.first : [mistakeText(mistake)],
    );
  }

  /** Raises ImportRefused if there was any bad row. */
  refuseAny(): void {
    if (this.#rows > 0) throw new ImportRefused(this.mistakes(), this.#untoldRows);
  }
}

/** `status: "aproved" is not one of … (did you mean approved?)` */
export function problemText({ field, value, message, hint, other, advice }: RowProblem): string {
  const start = field === null ? "" : `${field}: `;
  return `${start}${value === null ? "" : `${value} `}${message}${hint ?? ""}${other ?? ""}${advice?.one ?? ""}`;
}

/** `people.csv:2: status: "Active" (51 rows), "Resigned" (9): not one of …` */
function mistakeText({ place, problem, rows, values, hints }: Mistake): string {
  const { field, message, advice } = problem;
  // What most rows may mean helps with all of them; what one of many may mean does not.
  const shared = [...hints].find(([, count]) => count * 2 > rows);
  const start = `${placeText(place)}: ${field === null ? "" : `${field}: `}`;
  const end = `${shared?.[0] ?? ""}${advice?.many ?? ""}`;
  if (values.size === 0) return `${start}${message} (${rows} rows)${end}`;
  const counted = [...values].sort(([, a], [, b]) => b - a);
  const shownValues = counted
    .slice(0, MAX_SHOWN_VALUES)
    .map(([value, count], at) => `${value} (${count}${at > 0 ? "" : count === 1 ? " row" : " rows"})`);
  const more = counted.length - shownValues.length;
  const rest = more > 0 ? ` and ${more} more ${more === 1 ? "value" : "values"}` : "";
  return `${start}${shownValues.join(", ")}${rest}: ${message.replace(/^is /, "")}${end}`;
}

export function placeText({ file, line, item }: Place): string {
  const element = item === undefined ? "" : ` (element ${item})`;
  return line === null ? file : `${file}:${line}${element}`;
}

/** A value as a message shows it: quoted, escaped, and shortened. */
export function shown(value: unknown): string {
  if (typeof value !== "string") return String(value);
  return printable(
    JSON.stringify(value.length > MAX_SHOWN_CHARACTERS ? `${value.slice(0, MAX_SHOWN_CHARACTERS)}…` : value),
  );
}

/** What to do if two rows have the same id. Many systems write one row of a worker for every employment. */
export function duplicateAdvice(kind: Kind, importRow: object): string {
  if (kind === "assignments")
    return ": a worker has a policy once; write times without employment as gaps, and its end as endsOn; to return to it from another policy, use a copy of it";
  if (kind === "holidays")
    return ": leave one of them out, or give two calendars different names (the X-WR-CALNAME of calendar files)";
  if (!("legacyId" in importRow)) return "";
  const each = kind === "workers" ? "each employment" : "each";
  const made =
    kind === "requests"
      ? '; if the rows are leave of other days, a mapping makes it of two columns: "values": {"legacyId": "{id}|{first day}"}, with their names'
      : "";
  return `: each row needs an id of its own: leave one of them out, or give ${each} its own id${made}`;
}

/** The field that identifies an import row, and its value with what else does, in the words of its file. */
export function identityOf(
  kind: Kind,
  importRow: object,
): { readonly field: string; readonly value: string } {
  const named = importRow as {
    id?: string | null;
    legacyId?: string | null;
    workerId?: string;
    policyId?: string;
    calendar?: string;
    name?: string;
  }; // any kind's
  if (named.id != null) return { field: "id", value: shown(named.id) };
  if (named.legacyId != null) return { field: "legacyId", value: shown(named.legacyId) };
  if (named.calendar !== undefined)
    return { field: "calendar", value: `${shown(named.calendar)} with this date and ${shown(named.name)}` };
  const policy = `policyId ${shown(named.policyId)}`;
  switch (kind) {
    case "policy_changes":
      return { field: "policyId", value: `${shown(named.policyId)} with this from` };
    case "schedules":
      return { field: "workerId", value: `${shown(named.workerId)} with this startsOn` };
    case "work_hours":
      return { field: "workerId", value: `${shown(named.workerId)} with this date` };
    case "openings":
    case "assignments":
      return { field: "workerId", value: `${shown(named.workerId)} with ${policy}` };
    default:
      return { field: "workerId", value: `${shown(named.workerId)} with ${policy} and this date` };
  }
}

/** The ids by which a row can be referred to, as its file has them. */
export function namesOf(row: object): string[] {
  const { id, legacyId } = row as { readonly id?: unknown; readonly legacyId?: unknown }; // either may be absent
  return [id, legacyId].flatMap((name) =>
    (typeof name === "string" && name !== "") || typeof name === "number" ? [String(name).trim()] : [],
  );
}
