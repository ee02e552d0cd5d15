// The queries that a draft writes or suggests: ids for people's names, and the policies and assignments that the files show.
import { distance } from "fastest-levenshtein";
import { unitNamed } from "../import/convert/units.ts";
import { namedFormat } from "../import/read/files.ts";
import { quotedName, tableName } from "../import/read/query.ts";
import { shown } from "../import/row-errors.ts";
import { isNamedLikeWork } from "../import/telling-names.ts";
import { lapseBeside } from "./draft-doubts.ts";
import { totalsNote } from "./draft-skips.ts";
import {
  amountColumns,
  type DayOrders,
  FIELD,
  type Guess,
  numberColumns,
  partKindsIn,
  partsOf,
  placeOf,
  totalsIn,
  unusedColumns,
  whoseIds,
} from "./guess.ts";
import { bareName, type Sample, type SampleColumn } from "./sample.ts";
import {
  amountsOf,
  datesOf,
  decimalKey,
  decimalQuestion,
  type FileSection,
  LATER_LEAVE,
  type Section,
} from "./section.ts";
import { has, nameKey } from "./words.ts";

/** If a file has no column for the policy, all its leave is under this one. */
export const ONE_POLICY = "PTO";

const named = (name: string) => quotedName(name, true);
/** A text in SQL. */
const text = (value: string) => `'${value.replaceAll("'", "''")}'`;

export function readKeys({ name, more, moreSheets, options }: Sample): Record<string, unknown> {
  const { encoding, delimiter, skipLines, at } = options;
  const headerRows = options.headerRows === 1 ? null : options.headerRows;
  const sheet = moreSheets.length === 0 ? options.sheet : [options.sheet, ...moreSheets];
  const from = more.length === 0 ? name : [name, ...more];
  const keys = { from, encoding, delimiter, sheet, skipLines: skipLines || null, headerRows, at };
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== null));
}

function tableOf({ sample: { name, options, list } }: Guess): string {
  return tableName(`${namedFormat(name)?.stem ?? name} ${options.sheet ?? list ?? ""}`);
}

/** Words of SQL that files may be called, and that name a table in quotes alone. */
const RESERVED =
  /^(?:all|case|check|default|distinct|drop|except|exists|from|group|in|index|into|is|join|limit|not|null|on|order|primary|select|set|table|then|to|transaction|union|unique|update|using|values|when|where)$/;

function inSql(guess: Guess): string {
  const table = tableOf(guess);
  return /^\d/.test(table) || RESERVED.test(table) ? named(table) : table;
}

/** The files as tables by name. Last lines with fewer cells are left out, because a table cannot hold them. */
function tablesOf(guesses: Iterable<Guess>, people: Guess | undefined): Record<string, unknown> {
  return Object.fromEntries(
    [...guesses].map((guess) => {
      const totals = guess.sample.shortRows.length === 0 ? null : totalsIn(guess, people);
      const skip = totals === null ? {} : { skip: { [totals.column]: totals.values } };
      return [tableOf(guess), { ...readKeys(guess.sample), ...skip }];
    }),
  );
}

/** A cell of a file's table in SQL. In JSON, `employee.id` is a value inside the column `employee`. */
function cellIn({ sample }: Pick<Guess, "sample">, alias: string): (column: SampleColumn) => string {
  const isJson = /^jsonl?$/.test(namedFormat(sample.name)?.format ?? "");
  return ({ name, made }) => {
    if (made !== null) return made.sql(...made.of.map(cellIn({ sample }, alias)));
    const [outer, ...path] = isJson ? name.split(".") : [name];
    const inner = path.map((key) => (/^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `."${key}"`)).join("");
    return `${alias}.${named(outer!)}${inner === "" ? "" : ` ->> ${text(`$${inner}`)}`}`;
  };
}

/** A cell in SQL without space around it, whose `trim` knows one kind of space alone: texts of web pages have others. */
function trimmed(cell: string, { values }: SampleColumn): string {
  const hasOther = values.some((value) => value.replace(/^ +| +$/g, "") !== value.trim());
  return hasOther ? `trim(${cell}, ' ' || char(9, 160, 8199, 8239, 12288))` : `trim(${cell})`;
}

/** The column of people's ids that a query adds beside the column of their names. */
export const idOf = (column: SampleColumn) => `id of ${column.name}`;

/** The name of a field's column, in the query or else in the file. */
export function nameIn({ fields, namings }: Guess, field: string): string | undefined {
  const column = fields.get(field);
  return column !== undefined && namings.has(field) ? idOf(column) : column?.name;
}

/** SQL for the ids of people whom `l` names otherwise, with the joins. `distinct` makes SQLite index the names. */
function idsIn(guess: Guess, people: Guess) {
  const ids = new Map<string, string>();
  const joins: string[] = [];
  const id = people.fields.get(FIELD.id)!;
  const person = cellIn(people, "p");
  for (const [field, naming] of guess.namings) {
    const cell = cellIn(guess, "l")(guess.fields.get(field)!);
    const columns = naming.among.map((word) => {
      const alias = `p${joins.length}`;
      const table = `select distinct ${trimmed(person(id), id)} as id, ${naming.name(...naming.of.map(person))} as name from ${inSql(people)} p`;
      joins.push(` left join (${table}) ${alias} on ${alias}.name = ${word(cell)}`);
      return `${alias}.id`;
    });
    ids.set(field, `coalesce(${[...columns, cell].join(", ")})`);
  }
  return { ids, joins: joins.join("") };
}

/** The column of a query that holds ids in the form of an address. */
export const ADDRESS = "address";

/** The column of people's ids if they contain characters that an address cannot have and no column has addresses; else null. */
export function addressless({ kind, fields }: Guess): SampleColumn | null {
  const id = fields.get(FIELD.id);
  if (kind !== "workers" || id === undefined || fields.has(FIELD.email)) return null;
  return id.values.every((value) => /^[\w.+-]+$/.test(value.trim()) || has("total", value)) ? null : id;
}

/** How to read a file: directly, or with a query that adds people's ids or derived columns. */
export function sourceOf(guess: Guess, people: Guess | undefined, { notes }: Section) {
  const { sample, fields, namings } = guess;
  const { ids, joins } = people === undefined ? { ids: [], joins: "" } : idsIn(guess, people);
  const added = [...ids].map(([field, sql]) => {
    const column = fields.get(field)!;
    notes.push(
      `${shown(column.name)} has ${namings.get(field)!.what}: the query puts the ids of these people beside them`,
    );
    return `${sql} as ${named(idOf(column))}`;
  });
  for (const column of new Set(fields.values())) {
    const { name, made } = column;
    if (made === null || made.as === "whole name") continue;
    added.push(`${cellIn(guess, "l")(column)} as ${named(name)}`);
    if (made.as === "last name")
      notes.push(`the query puts ${shown(made.of[1]!.name)} before ${shown(made.of[0]!.name)}`);
    if (made.as === "first day")
      notes.push(`${shown(made.of[0]!.name)} has the first and the last day: the query splits it`);
  }
  const id = addressless(guess);
  if (id !== null) added.push(`lower(hex(${trimmed(cellIn(guess, "l")(id), id)})) as ${named(ADDRESS)}`);
  const { unpivot } = sample;
  const turned = unpivot === undefined ? {} : { unpivot };
  if (added.length === 0) return { ...readKeys(sample), ...turned };
  const tables = tablesOf(joins === "" ? [guess] : [guess, people!], people);
  return { tables, ...turned, query: `select l.*, ${added.join(", ")} from ${inSql(guess)} l${joins}` };
}

/** A column of balances, and the policy that it seems to be of. */
interface WideBalance {
  readonly column: SampleColumn;
  readonly policy: string;
  /** Whether this may be another name of a kind of leave: `CP N` where leave is called `Congés payés`. */
  readonly mayBeOther: boolean;
}

/** Balances with a column for each kind of leave. */
export interface WideBalances {
  /** The table, with the column that names its people. */
  readonly guess: Guess;
  readonly columns: readonly WideBalance[];
  /** The columns of which balances are the sums, such as what was carried over and what was taken. */
  readonly parts: readonly SampleColumn[];
  /** Other columns of numbers, which may be balances, too. */
  readonly others: readonly SampleColumn[];
}

/** The columns with the balance of each type of leave, and the types: as the files name them, else by the names of the columns. */
export function wideBalances(
  guess: Guess,
  balances: readonly SampleColumn[],
  leave: readonly Guess[],
  isOfPeople: boolean,
): WideBalances {
  const { sample, fields } = guess;
  const kinds = leaveKinds(leave).map(({ name }) => name);
  // Beside the balance, the granted amount adds nothing.
  const left = balances.filter(({ name }) => !has("yearly", name) || has("left", name));
  const ofLeft = left.length > 0 ? left : balances;
  const place = sample.options.sheet ?? sample.name;
  const all = ofLeft.map((column) => {
    const kindsIn = (name: string) => kinds.filter((kind) => nameKey(name).includes(nameKey(kind)));
    const ofName = kindsIn(column.name);
    // `Saldo` in a file called `Feriensaldo`
    const known = ofName.length > 0 || ofLeft.length > 1 ? ofName : kindsIn(place);
    const policy = known.sort((a, b) => b.length - a.length)[0] ?? withoutBalance(column.name);
    return { column, policy };
  });
  // `CP N Acquis` beside `CP N Solde`: what is left of a kind is its balance.
  const isLeft = ({ column }: (typeof all)[number]) => has("left", column.name);
  const ofKinds = all.filter(
    (own) => isLeft(own) || !all.some((other) => other.policy === own.policy && isLeft(other)),
  );
  const policies = ofKinds.map(({ policy }) => policy);
  const names = otherNames(kinds, policies);
  const columns = ofKinds.map((own) => ({ ...own, mayBeOther: names.includes(own.policy) }));
  // Columns beside people also hold numbers such as hours. The column beside what is left of a kind holds what was granted.
  const kindsLeft = policies.map(nameKey);
  const isPart = ({ name }: SampleColumn) =>
    ofKinds.some(isLeft) &&
    (["carried", "earlier", "granted", "taken", "yearly", "total"] as const).some((part) => has(part, name));
  const isOther = (other: SampleColumn) =>
    !kindsLeft.includes(nameKey(withoutBalance(other.name))) &&
    !isPart(other) &&
    other.values.some((value) => Number(value) !== 0);
  const numbers = unusedColumns(numberColumns(sample, 0), fields);
  const parts = ofKinds.flatMap(({ column }) => partsOf(column, numbers));
  const amounts = isOfPeople ? [] : unusedColumns(amountColumns(sample, 0), fields).filter(isOther);
  const others = amounts.filter((column) => !balances.includes(column) && !parts.includes(column));
  return { guess, columns, parts, others };
}

/** The kinds that only balances have, if some kind of leave has no balance: both may be one kind under two names. */
function otherNames(ofLeave: readonly string[], ofBalances: readonly string[]): string[] {
  const mayHaveBalance = (kind: string) => !has("unpaid", kind) && !has("seldomOwed", kind);
  const isComplete = ofLeave.every((kind) => ofBalances.includes(kind) || !mayHaveBalance(kind));
  return isComplete ? [] : ofBalances.filter((kind) => !ofLeave.includes(kind));
}

/** `Annual leave balance (days)`: Annual leave. */
function withoutBalance(name: string): string {
  const all = bareName(name).split(/[\s_-]+/);
  const words = all
    .filter((word, at) => word.length > 2 || unitNamed(all[at + 1] ?? "") === undefined) // `in Tagen`
    .filter((word) => !has("balance", word) && !has("left", word) && unitNamed(word) === undefined);
  return words.join(" ").trim() || name;
}

/** Whether a column tells no kind of leave: `Saldo`, `Closing balance`. */
const isNoKind = ({ column, policy }: WideBalance) =>
  has("noKind", policy) || (policy === column.name && !has("leaveKind", policy)) || !/\p{L}/u.test(policy);

/** Which columns of balances have a policy that only the reader knows. A name alone, such as Saldo, tells no kind of leave. */
function unclearBalances(columns: readonly WideBalance[]): ReadonlySet<WideBalance> {
  const isEarlier = ({ column }: WideBalance) => has("earlier", column.name);
  // Beside what is left now, what was left before is no other balance.
  const hasNow = columns.some((balance) => !isEarlier(balance));
  return new Set(
    columns.filter(
      (balance) =>
        isNoKind(balance) ||
        isTwice(balance, columns) ||
        balance.mayBeOther ||
        (isEarlier(balance) && hasNow),
    ),
  );
}

const isTwice = ({ policy }: WideBalance, columns: readonly WideBalance[]) =>
  columns.filter((other) => other.policy === policy).length > 1;

/** The units of balances, from their names; null for one that its name does not tell. What is added up has one unit. */
function unitsOfBalances({ columns, parts }: WideBalances): ReadonlySet<string | null> {
  const unitsOf = (some: readonly SampleColumn[]) => new Set(some.map((column) => amountsOf(column).unit));
  const own = unitsOf(columns.map(({ column }) => column));
  const ofParts = unitsOf(parts);
  ofParts.delete(null);
  return own.size === 1 && own.has(null) && ofParts.size === 1 ? ofParts : own;
}

/** Questions about the day, the policies and the units of balances. */
function balanceQuestions(
  { guess, columns, others }: WideBalances,
  unclear: ReadonlySet<WideBalance>,
  units: ReadonlySet<string | null>,
): string[] {
  const namesOf = (some: Iterable<WideBalance>) =>
    [...some].map(({ column }) => shown(column.name)).join(", ");
  const names = namesOf(columns);
  const questions: string[] = [];
  const areYearly = columns.every(({ column: { name } }) => has("yearly", name) && !has("left", name));
  if (!guess.fields.has("date"))
    questions.push(
      `values: date: ${areYearly ? `are ${names} what was left, or what people get in a year? If they get it, remove openings, and give it to policies or assignments as minutesPerPeriod; else: ` : ""}at the end of which day were these the balances? Write it: "2025-12-31" for those at the start of 2026. ${LATER_LEAVE}`,
    );
  const areTwice = columns.some((balance) => isTwice(balance, columns));
  if (unclear.size > 0)
    questions.push(
      `values: policyId: of which kind of leave is ${namesOf(unclear)} what was left on that day? Write the policy, and see that assignments give it to these people; or take an amount that is of another day, or of a kind that has another column, out of policyId and minutes${areTwice ? ". Two columns of one kind can be added up in a query (docs/mapping.md, Queries)" : ""}`,
    );
  if (units.size > 1 || units.has(null))
    questions.push(
      `units: what is ${names} counted in: minutes, hours or days?${units.size > 1 ? " Map columns of other units in a source of their own" : ""}`,
    );
  if (others.length > 0)
    questions.push(
      `values: is ${others.map(({ name }) => shown(name)).join(", ")} what is left of another kind of leave? Then add it to policyId and minutes`,
    );
  return questions;
}

/** The balances as openings on the file's day. */
export function balancesSection(
  balances: WideBalances,
  people: Guess | undefined,
  orders: DayOrders,
): Section {
  const { guess, columns } = balances;
  const { sample, fields, namings } = guess;
  const worker = fields.get(FIELD.worker)!;
  const kind = "openings";
  const section: FileSection = { kind, source: {}, questions: [], notes: [], guess, people, otherKinds: [] };
  const { source, questions } = section;
  const isOfPeople = people === undefined || people.sample === sample;
  Object.assign(source, sourceOf(guess, isOfPeople ? undefined : people, section));
  const units = unitsOfBalances(balances);
  const unclear = unclearBalances(columns);
  questions.push(...balanceQuestions(balances, unclear, units));
  const date = fields.get("date");
  const dates =
    date === undefined
      ? {}
      : datesOf(new Map([["date", date]]), orders, source.query !== undefined, sample.doubts, section);
  const whose = isOfPeople || namings.size > 0 ? null : whoseIds(people, worker, FIELD.worker);
  if (whose !== null) questions.push(whose);
  const lapse = lapseBeside(guess);
  if (lapse !== null) questions.push(lapse.question);
  const names = columns.map(({ column }) => shown(column.name)).join(", ");
  const texts = columns.flatMap(({ column }) => column.texts);
  const totals = totalsIn({ kind, sample, fields: new Map([[FIELD.worker, worker]]) }, people);
  const decimal = decimalKey(sample, texts);
  if (decimal.decimal === "?") questions.push(decimalQuestion(names, texts));
  const [unit] = units;
  Object.assign(source, {
    columns: {
      [nameIn(guess, FIELD.worker)!]: whose === null ? FIELD.worker : "?",
      ...(date !== undefined && { [date.name]: "date" }),
      ...(lapse !== null && { [lapse.column.name]: "?" }),
    },
    ...dates,
    values: {
      policyId: columns.map((balance) => (unclear.has(balance) ? "?" : balance.policy)),
      minutes: columns.map(({ column }) => `{${column.name}}`),
      ...(date === undefined && { date: "?" }),
    },
    units: { minutes: units.size > 1 ? "?" : (unit ?? "?") },
    ...decimal,
    ...(totals !== null && { skip: { [totals.column]: totals.values } }),
    ignore: "*",
  });
  section.notes.push(`${names}: a column for each kind of leave becomes an opening of that policy`);
  if (totals !== null) section.notes.push(totalsNote(totals));
  return section;
}

/** Advice on amounts that people have or are granted: only the reader knows which policy each column belongs to. */
export function balanceAdvice(
  sample: Sample,
  balances: readonly SampleColumn[],
  areYearly: boolean,
): string[] {
  const names = balances.map(({ name }) => shown(name)).join(", ");
  return areYearly
    ? [
        `${placeOf(sample)} has what people get in a year: ${names}. Give that policy "schedule": "yearly", and let the query of assignments`,
        '  select it as minutesPerPeriod (null for other policies), with its unit: "units": { "minutesPerPeriod": "days" }',
      ]
    : [
        `${placeOf(sample)} has balances: ${names}. Import what is left on a day as openings, one column for each policy`,
        "  (docs/mapping.md, Templates and lists)",
      ];
}

const policyColumn = ({ fields }: Guess) => fields.get(FIELD.policy) ?? fields.get("policyId");

/** A type of leave in the files. */
interface LeaveKind {
  readonly name: string;
  rows: number;
  readonly people: Set<string>;
}

/** The types of leave in the sampled rows. */
function leaveKinds(leave: readonly Guess[]): LeaveKind[] {
  const kinds = new Map<string, LeaveKind>();
  for (const guess of leave) {
    const names = policyColumn(guess)?.cells;
    const people = guess.fields.get(FIELD.worker)?.cells;
    const parts = partKindsIn(guess);
    for (let row = 0; row < guess.sample.rows; row++) {
      const own = names === undefined ? ONE_POLICY : names[row]!.trim();
      const name = parts.get(own) ?? own;
      const person = people?.[row]?.trim().toLowerCase();
      const isOfNobody = person !== undefined && (person === "" || has("total", person));
      if (name === "" || has("total", name) || isOfNobody) continue;
      const kind = kinds.get(name) ?? { name, rows: 0, people: new Set() };
      kinds.set(name, kind);
      kind.rows++;
      kind.people.add(person ?? "");
    }
  }
  return [...kinds.values()];
}

const policiesIn = (wide: readonly WideBalances[]) =>
  wide.flatMap(({ columns }) => columns.flatMap(({ policy, mayBeOther }) => (mayBeOther ? [] : policy)));

/** The types of leave, then those that only balances name. Without those that may be another name of one: see `otherNames`. */
function policyKinds(leave: readonly Guess[], wide: readonly WideBalances[]): LeaveKind[] {
  const ofLeave = leaveKinds(leave);
  const known = new Set(ofLeave.map(({ name }) => name));
  const ofBalances = [...new Set(policiesIn(wide)).difference(known)];
  const added = ofBalances.map((name) => ({ name, rows: 1, people: new Set<string>() }));
  const unclear = new Set(leave.flatMap((guess) => otherKinds(guess, leave)));
  return [...ofLeave, ...added].filter(({ name }) => !unclear.has(name));
}

/** The types of leave that only rows of balances have: see `otherNames`. */
export function otherKinds(balances: Guess, leave: readonly Guess[]): string[] {
  const ofLeave = leaveKinds(leave.filter(({ kind }) => kind === "requests"));
  if (balances.kind === "requests" || ofLeave.length === 0) return [];
  return otherNames(
    ofLeave.map(({ name }) => name),
    leaveKinds([balances]).map(({ name }) => name),
  );
}

/** SQL for the type of leave of a row of `l`, with "?" for `others`. */
function kindIn(guess: Guess, others: readonly string[]): string {
  const column = policyColumn(guess);
  if (column === undefined) return text(ONE_POLICY);
  const own = trimmed(cellIn(guess, "l")(column), column);
  const asked = others.map((name) => ` when ${text(name)} then '?'`);
  return asked.length === 0 ? own : `case ${own}${asked.join("")} else ${own} end`;
}

const LONGEST_CODE = 2;

/** A policy for each type of leave. Exports seldom say what a policy grants, or whether it is paid. */
export function policiesSection(
  leave: readonly Guess[],
  hasBalances: boolean,
  wide: readonly WideBalances[],
): Section {
  const notes = hasBalances
    ? [
        "There are balances in the files. Leave up to the day of an opening is off it already, and counts once",
        "(docs/importing.md, openings). An unlimited policy has no balance.",
      ]
    : [];
  notes.push(
    'The kinds of leave in the files. For balances, say what each grants: "schedule": "yearly" or "monthly", with',
    '"minutesPerPeriod" (see docs/importing.md, Fields).',
  );
  const rules = hasBalances ? { schedule: "yearly", minutesPerPeriod: "?" } : { schedule: "unlimited" };
  const unclear: string[] = [];
  const atWork: string[] = [];
  const seldomOwed: string[] = [];
  const kinds = policyKinds(leave, wide);
  const rows = kinds.map(({ name, rows }) => {
    // Of codes such as CL and SL, or 0100 and 0200, each is a kind of its own.
    const isMistake = (kind: LeaveKind) =>
      name.length > LONGEST_CODE &&
      /\p{L}/u.test(name) &&
      kind.rows > rows &&
      distance(kind.name.toLowerCase(), name.toLowerCase()) <= 1;
    const near = kinds.filter(isMistake).map((kind) => `, nearly ${shown(kind.name)}`);
    const isPaid = near.length > 0 ? "?" : has("unpaid", name) ? false : has("paid", name) || "?";
    if (isPaid === "?")
      unclear.push(`${shown(name)} (${rows === 1 ? "1 row" : `${rows} rows`}${near.join("")})`);
    const asked: Record<string, "?"> = {};
    if (isNamedLikeWork(name)) {
      asked.isAbsence = "?";
      atWork.push(shown(name));
    }
    if (isPaid !== false && has("seldomOwed", name)) {
      asked.isPaidOut = "?";
      seldomOwed.push(shown(name));
    }
    return { legacyId: name, name, timeOffTypeName: name, paid: isPaid, ...asked, ...rules };
  });
  const questions =
    unclear.length === 0
      ? []
      : [
          `paid: is each of these kinds of leave paid: ${unclear.join(", ")}? If one is a mistake, correct the file and draft again`,
        ];
  if (hasBalances)
    questions.push(
      'minutesPerPeriod: what does each of these grant in a year? Write the minutes, such as 9600 for 20 days of 8 hours, or those of a month with "schedule": "monthly". Write 0 if each import brings new balances or grants',
    );
  if (atWork.length > 0)
    questions.push(
      `isAbsence: do people work during ${atWork.join(", ")}? Then write false: such leave is shown nowhere as being away. Else write true`,
    );
  if (seldomOwed.length > 0)
    questions.push(
      `isPaidOut: when somebody leaves, is what is left of ${seldomOwed.join(", ")} owed to them? Write true or false`,
    );
  return { kind: "policies", source: { rows, values: { unit: "day" } }, questions, notes };
}

/** If at least this share of people with leave took a type, it is assumed to be everybody's. */
const EVERYBODYS = 0.5;

export function assignmentsSection(
  leave: readonly Guess[],
  people: Guess,
  orders: DayOrders,
  wide: readonly WideBalances[],
): Section {
  const section: Section = { kind: "assignments", source: {}, questions: [], notes: [] };
  const start = people.fields.get(FIELD.began);
  const id = people.fields.get(FIELD.id);
  const person = cellIn(people, "p");
  const worker = id === undefined ? "'?'" : trimmed(person(id), id);
  if (start === undefined)
    section.questions.push("startsOn: on which day did each person begin? Select it in place of '?'");
  const select = (kind: string, from: string) =>
    `select ${worker} as workerId, ${kind} as policyId, ${start === undefined ? "'?'" : person(start)} as startsOn, p._file, p._line from ${inSql(people)} p ${from}`;
  const inRows = leave.filter(({ sample }) => sample.unpivot === undefined);
  const taken = inRows.map((guess) => {
    const { ids, joins } = idsIn(guess, people);
    const column = guess.fields.get(FIELD.worker);
    const own = column === undefined ? "'?'" : trimmed(cellIn(guess, "l")(column), column);
    const kind = kindIn(guess, otherKinds(guess, leave));
    const rows = `select distinct ${ids.get(FIELD.worker) ?? own} as person, ${kind} as kind from ${inSql(guess)} l${joins} where ${kind} <> ''`;
    return select("t.kind", `join (${rows}) t on t.person = ${worker}`);
  });
  const kinds = policyKinds(leave, wide);
  const turned = leaveKinds(leave.filter((guess) => !inRows.includes(guess)));
  const ofColumns = new Set([...turned.map(({ name }) => name), ...policiesIn(wide)]);
  const withLeave = new Set(kinds.flatMap((kind) => [...kind.people]));
  const hasBalances = leave.some(({ kind }) => kind !== "requests"); // balances show who has which policy
  const isEverybodys = ({ name, people }: LeaveKind) =>
    ofColumns.has(name) || (!hasBalances && people.size >= withLeave.size * EVERYBODYS);
  const everybodys = kinds.filter(isEverybodys);
  const others = kinds.filter((kind) => !isEverybodys(kind));
  const names = (some: readonly LeaveKind[]) => some.map(({ name }) => shown(name)).join(", ");
  if (everybodys.length > 0) {
    const list = everybodys.map(({ name }, at) => `select ${text(name)}${at === 0 ? " as kind" : ""}`);
    const totals = (totalsIn(people, people)?.values ?? []).filter((value) => value !== "").map(text);
    const noTotals = totals.length === 0 ? "" : ` and ${worker} not in (${totals.join(", ")})`;
    taken.unshift(
      select("k.kind", `join (${list.join(" union all ")}) k where ${worker} is not null${noTotals}`),
    );
    section.notes.push(
      `${names(everybodys)}: everybody has ${everybodys.length === 1 ? "it" : "them"}, with leave or without, as at least half of those with leave do. If not everybody is`,
      "entitled, add a condition to the query, or take a kind out of it: then those who have such leave in the files have it.",
    );
  }
  if (others.length > 0)
    section.notes.push(
      `${names(others)}: those who have such leave${hasBalances ? " or a balance" : ""} in the files.`,
    );
  section.notes.push("Each from the first day of work on.");
  section.source.tables = tablesOf([...inRows, people], people);
  section.source.query =
    taken.length > 1 ? taken.join(" union ") : taken.join().replace("select", "select distinct");
  if (start !== undefined)
    Object.assign(
      section.source,
      datesOf(new Map([["startsOn", start]]), orders, true, people.sample.doubts, section),
    );
  return section;
}
