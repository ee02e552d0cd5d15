// A draft mapping of files that nobody has mapped yet: kinds and fields by the names of columns, formats by their values.
// Where it cannot tell, it writes comments.
import type { FactKind } from "../../resources/kinds.ts";
import { cellOf } from "../../resources/registry.ts";
import { FULL_NAME } from "../../resources/workers.ts";
import { shown } from "../row-errors.ts";
import { type Candidate, isDelimited } from "../source/files.ts";
import { UnreadableFile } from "../source/records.ts";
import {
  ALSO_FILLS,
  areCapitalsFirst,
  areHalfDays,
  BOOLEAN_WORDS,
  fieldSynonyms,
  isCancelled,
  isLastFirst,
  isNamedCancelled,
  isNamedOfHalfDays,
  isTotal,
  isYearlyAmount,
  isYes,
  LEAVE,
  meantChoice,
  meantState,
  PERSON_END,
  PERSON_MANAGER,
  unitOf,
} from "./column-names.ts";
import { compiledFormat } from "./dates.ts";
import {
  assignmentsSection,
  balanceAdvice,
  comments,
  encodingAdvice,
  json,
  MAX_CHOICES,
  ONE_POLICY,
  policiesSection,
  sourceLines,
  yearlyAdvice,
} from "./draft-queries.ts";
import {
  agreeOnPeople,
  amountColumns,
  balanceColumns,
  columnOf,
  dateContent,
  dayOrderIn,
  decimalOf,
  fieldsFor,
  type Guess,
  grantColumns,
  idColumn,
  isNegative,
  isOneDayEach,
  kindOfSample,
  NOBODY,
  placeOf,
  targetsOf,
  totalsIn,
  unitColumn,
} from "./guess.ts";
import { type DayOrder, datesIn, mergedSamples, type Sample, samplesOf } from "./sample.ts";
import { type OwnUnits, ownUnits } from "./values.ts";

/** The text of a draft for these files: JSON with comments. A file that cannot be read is a comment. */
export async function draftMapping(files: readonly Candidate[]): Promise<string> {
  const samples: Sample[] = [];
  const intro = [
    "A draft. Read every line, then check it: rollcall map check FILES --map THIS",
    "What each key means: docs/mapping.md",
  ];
  for (const file of files) {
    try {
      samples.push(...(await samplesOf(file, (sample) => kindOfSample(sample) !== null)));
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      intro.push(`${file.name} ${error.message}`);
    }
  }
  intro.push(...encodingAdvice(samples));
  const guessed = mergedSamples(samples).map((sample) => ({ sample, guess: kindOfSample(sample) }));
  const byKind = new Map<FactKind, Guess>();
  for (const { sample, guess } of guessed.toSorted((a, b) => (b.guess?.score ?? 0) - (a.guess?.score ?? 0)))
    if (guess !== null && !byKind.has(guess.kind))
      byKind.set(guess.kind, {
        kind: guess.kind,
        sample,
        fields: fieldsFor(guess.kind, sample),
        byName: new Map(),
      });
  const people = byKind.get("workers");
  agreeOnPeople(
    people,
    [...byKind.values()].filter((one) => one !== people),
  );
  let hasBalances = byKind.has("adjustments");
  for (const { sample, guess } of guessed) {
    const isUsed = guess !== null && byKind.get(guess.kind)?.sample === sample;
    const balances = isUsed && guess.kind !== "workers" ? [] : balanceColumns(sample);
    // Of the people themselves: other files with entitlements say from when to when, or for which kind of leave.
    const isYearly = isUsed && balances.every(isYearlyAmount);
    hasBalances ||= balances.length > 0 && !isYearly;
    if (balances.length > 0)
      intro.push(...(isYearly ? yearlyAdvice(sample, balances) : balanceAdvice(sample, balances)));
    if (isUsed || balances.length > 0) continue;
    const what = guess === null ? "it is not clear what its rows are" : `more ${guess.kind}?`;
    const columns = [...sample.columns.keys()].filter(
      (column) => !sample.joined.has(column) && !sample.ranges.has(column),
    );
    intro.push(`${placeOf(sample)}: ${what} (${columns.join(", ")})`);
  }
  const order = dayOrderIn([...byKind.values()]);
  const sections = [...byKind.values()].map((guess) => section(guess, order, people));
  const leave = (["requests", "adjustments"] as const).flatMap((kind) => byKind.get(kind) ?? []);
  if (leave.length > 0 && !byKind.has("policies")) sections.push(policiesSection(leave, hasBalances));
  if (leave.length > 0 && people !== undefined && !byKind.has("assignments"))
    sections.push(assignmentsSection(leave, people, order));
  return `{\n${comments(intro, "  ")}\n${sections.join(",\n")}\n}\n`;
}

function section(guess: Guess, order: DayOrder | null, people: Guess | undefined): string {
  const { kind, sample, fields } = guess;
  const notes: string[] = [];
  const ids = new Map<string, string>();
  const read = new Map<string, string>();
  const lines = sourceLines(guess, people, notes, ids, read);
  if (kind === "workers") notes.push(...nameNotes(guess));
  const taken = new Set([...fields.values(), ...ids.values()].flatMap(targetsOf));
  const columnLines = [...ids, ...fields].map(([column, field]) => {
    const own = targetsOf(field);
    const also = own.flatMap((one) => ALSO_FILLS[one] ?? []).filter((other) => !taken.has(other));
    const targets = [...own, ...also];
    return `${json(read.get(column) ?? column)}: ${json(targets.length > 1 ? targets : targets[0])}`;
  });
  lines.push(`"columns": {\n      ${columnLines.join(",\n      ")}\n    }`);
  lines.push(...dateLines(guess, order, taken, notes), ...amountLines(guess, notes));
  const leaving = taken.has(PERSON_STATUS) ? null : leavingColumn(guess);
  lines.push(...translations(guess, leaving, notes));
  const { values, missing } = missingValues(kind, taken, new Map([...ids, ...fields]), leaving);
  if (values.length > 0) lines.push(`"values": {\n      ${values.join(",\n      ")}\n    }`);
  const skip = skipped(guess, notes);
  if (Object.keys(skip).length > 0) lines.push(`"skip": ${json(skip)}`);
  const unit = amountsIn(guess).length > 0 ? unitColumn(sample, fields) : null;
  const split = [...sample.ranges].flatMap(([column, { of }]) => (fields.has(column) ? [of] : []));
  const used = [
    fields,
    guess.byName,
    sample.joined,
    sample.ranges,
    new Set([...Object.keys(skip), ...split, unit]),
  ];
  const rest = [...sample.columns.keys()].filter((column) => !used.some((one) => one.has(column)));
  lines.push('"ignore": "*"');
  if (kind === "workers" && !taken.has(PERSON_MANAGER)) {
    const manager = columnOf(fieldsFor(kind, sample), PERSON_MANAGER);
    if (manager !== undefined && (sample.columns.get(manager) ?? []).length > 0)
      notes.push(`${shown(manager)} has no ids of this file: if it has names, a query can find their ids`);
  }
  if (rest.length > 0) notes.push(`not used: ${rest.join(", ")}`);
  const said = [...missing, ...notes];
  const head = said.length === 0 ? "" : `${comments(said, "    ")}\n`;
  return `  ${json(kind)}: {\n${head}    ${lines.join(",\n    ")}\n  }`;
}

/**
 * What is odd about people's names. Where some have no email address, each gets one of its own, as every worker needs one.
 */
function nameNotes(guess: Guess): string[] {
  const { sample, fields } = guess;
  const id = idColumn(guess);
  const email = columnOf(fields, "email");
  const ids = sample.columns.get(id ?? "") ?? [];
  const totals = ids.filter(isTotal).length;
  if (id !== undefined && email !== undefined && sample.columns.get(email)!.length < sample.rows - totals)
    fields.set(email, ALSO_FILLS.email![0]!);
  const isHistory = new Set(ids).size < ids.length * 0.95;
  const history = isHistory
    ? [
        `${shown(id)} has the same people several times: take one row of each with a query (docs/mapping.md, Histories)`,
      ]
    : [];
  const name = [...fields].find(([, one]) => targetsOf(one).includes(FULL_NAME.name))?.[0];
  const single = [...(sample.cells.get(name ?? "") ?? [])].filter(
    (one, row) => /^[^\s,]+$/.test(one.trim()) && !isTotal(sample.cells.get(id ?? "")?.[row] ?? ""),
  );
  const names = sample.columns.get(name ?? "") ?? [];
  if (
    name !== undefined &&
    (isLastFirst(name) || areCapitalsFirst(names)) &&
    !names.some((one) => one.includes(","))
  )
    history.push(
      `${shown(name)} seems to have the last name first, without a comma: names are split before the last word, so put the parts into ${FULL_NAME.parts.join(" and ")} with a query (docs/mapping.md, Queries)`,
    );
  return single.length === 0
    ? history
    : [
        ...history,
        `${shown(single[0])} in ${shown(name)} is one name, not a first and a last one: translate such names, as in {"${FULL_NAME.name}": {${json(single[0])}: "Last, First"}}`,
      ];
}

/**
 * The values of a column that are text: dates of a workbook need no format, but some may be written as text, and all of them are text
 * where a query reads the file.
 */
function textsIn({ sample: { columns, moments }, byName }: Guess, column: string): readonly string[] {
  const values = columns.get(column) ?? [];
  return moments.has(column) && byName.size === 0
    ? values.filter((value) => !LOCAL_MOMENT.test(value) && !isTotal(value))
    : values;
}

const LOCAL_MOMENT = /^\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}:\d{2})?$/;

/** The formats of dates; where a day that ends leave is a day alone, what it means. */
function dateLines(
  guess: Guess,
  order: DayOrder | null,
  taken: ReadonlySet<string>,
  notes: string[],
): string[] {
  const { kind, sample, fields } = guess;
  const dates = [...fields].flatMap(([column, field]) =>
    dateContent(kind, field) === "" || textsIn(guess, column).length === 0
      ? []
      : [{ column, field, found: datesIn(textsIn(guess, column), order) }],
  );
  const lines: string[] = [];
  const formats: Record<string, unknown> = {};
  for (const { column, field, found } of dates) {
    if (found.formats.length > 0)
      formats[field] = found.formats.length > 1 ? found.formats : found.formats[0];
    if (found.alternatives.length > 0)
      notes.push(`${shown(column)} would also fit ${found.alternatives.join(", ")}`);
    if (found.formats.length > 1)
      notes.push(`${shown(column)} mixes formats: each date is read by the first that fits`);
    if (found.unread !== null)
      notes.push(
        found.formats.length === 0
          ? `no known format fits ${shown(column)}, such as ${shown(found.unread)}`
          : `none of these formats fits ${shown(found.unread)} in ${shown(column)}`,
      );
  }
  // A column without any date yet, such as that of the last day of work, will have them as the others do.
  const [usual, ...others] = new Set(Object.values(formats).map((format) => json(format)));
  const isEmpty = (column: string) => {
    const { formats: own, unread } = datesIn(sample.columns.get(column) ?? []);
    return own.length === 0 && unread === null;
  };
  if (usual !== undefined && others.length === 0 && isDelimited(sample.name))
    for (const [column, field] of fields)
      if (dateContent(kind, field) !== "" && isEmpty(column)) formats[field] = JSON.parse(usual);
  const ofField = (wanted: string) => dates.find(({ field }) => field === wanted)?.found.formats ?? [];
  for (const field of ALSO_FILLS[LEAVE.start]!)
    if (kind === "requests" && !taken.has(field) && formats[LEAVE.start] !== undefined)
      formats[field] = formats[LEAVE.start];
  if (Object.keys(formats).length > 0)
    lines.push(
      `"dates": { ${Object.entries(formats)
        .map(([field, format]) => `${json(field)}: ${json(format)}`)
        .join(", ")} }`,
    );
  const locale = dates.find(({ found }) => found.locale !== null)?.found.locale;
  if (locale !== undefined) lines.push(`"locale": ${json(locale)}`);
  const isOneDay = kind === "requests" && isOneDayEach(fields);
  const [end] = ofField(isOneDay ? LEAVE.start : LEAVE.end);
  const compiled = end === undefined ? null : compiledFormat(end, locale ?? undefined);
  const isDay =
    (typeof compiled === "object" && compiled?.isDayAlone) || (end === undefined && sample.moments.size > 0);
  if (kind === "requests" && isDay) {
    lines.push('"endDay": "included"');
    notes.push(
      isOneDay
        ? "each row is one day of leave, and becomes a request of that day"
        : 'is the last day part of the leave ("included"), or the day of return ("excluded")?',
    );
  }
  return lines;
}

const amountsIn = ({ kind, fields }: Guess) =>
  [...fields].filter(([, field]) => cellOf(kind, field)?.holds === "minutes");

function amountLines(guess: Guess, notes: string[]): string[] {
  const { kind, sample, fields } = guess;
  const amounts = amountsIn(guess);
  if (kind === "requests" && amounts.length === 0) {
    notes.push("no column has an amount, so leave is counted in working days of 8 hours");
    const halves = [...sample.columns].flatMap(([one, values]) =>
      !fields.has(one) && (isNamedOfHalfDays(one) || areHalfDays(values)) ? [one] : [],
    );
    if (halves.length > 0)
      notes.push(
        `${halves.map(shown).join(", ")}: half days are counted as whole ones; compute their amounts in a query (docs/mapping.md, Queries)`,
      );
    return ['"hoursPerDay": 8', '"workDays": "Mon-Fri"'];
  }
  return amounts.flatMap(([column, field]) => {
    const values = sample.columns.get(column) ?? [];
    const ofRow = unitColumn(sample, fields);
    const own = ownUnits(values);
    const others = kind === "requests" ? amountColumns(sample, fields) : [];
    if (others.length > 0)
      notes.push(
        `the amount is taken from ${shown(column)}, not from ${others.map(shown).join(" or ")}: is that right?`,
      );
    const unit = ofRow !== null ? { column: ofRow } : own ? unitBeside(own, column) : unitOf(column, values);
    const negative = kind === "requests" ? values.find(isNegative) : undefined;
    const isTaken = negative !== undefined && values.every((value) => isNegative(value) || isTotal(value));
    if (isTaken)
      notes.push(`${shown(column)} is below 0 in every row: it is taken for leave with its sign inverted`);
    else if (negative !== undefined)
      notes.push(
        `${shown(negative)} in ${shown(column)} takes leave back: add such rows up with what they correct in a query (docs/mapping.md, Corrections)`,
      );
    if (unit === null)
      notes.push(`what is ${shown(column)} counted in: minutes, hours or days? Write it in place of the "?"`);
    if (ofRow !== null || own !== null)
      notes.push('a day counts 8 hours: where it does not, say so ("hoursPerDay": 7.5)');
    const decimal = decimalOf(sample, column);
    return [
      `"units": { ${json(field)}: ${json(unit ?? "?")} }`,
      ...(decimal === null ? [] : [`"decimal": ${json(decimal)}`]),
      ...(isTaken ? [`"negate": ${json([field])}`] : []),
      ...(ofRow !== null || own !== null ? ['"hoursPerDay": 8'] : []),
    ];
  });
}

/** What numbers without a unit count in a column where others have theirs; null where that is not clear. */
function unitBeside({ units, hasPlain }: OwnUnits, column: string): string | null {
  const named = unitOf(column, []);
  const [only, ...others] = new Set([...units, ...(named === null || !hasPlain ? [] : [named])]);
  if (others.length === 0) return only!;
  return hasPlain ? null : (named ?? "hours");
}

/** Rows that are none: sums, and requests that were cancelled. */
function skipped(guess: Guess, notes: string[]): Readonly<Record<string, string[]>> {
  const { kind, sample, fields } = guess;
  const skip: Record<string, string[]> = {};
  const totals = totalsIn(guess);
  if (totals !== null) {
    skip[totals.column] = totals.values;
    notes.push(
      `rows with ${totals.values.map(shown).join(" or ")} in ${shown(totals.column)} are taken for ${sample.hasLabels ? "labels or totals" : "totals"}`,
    );
  }
  const status = columnOf(kind === "requests" ? fields : fieldsFor("requests", sample), "status");
  const values = [...new Set((status === undefined ? [] : sample.columns.get(status)) ?? [])];
  const isLeftOut = kind === "requests" ? isCancelled : isNotGranted;
  const leftOut = kind === "workers" ? [] : values.filter(isLeftOut);
  if (leftOut.length > 0) skip[status!] = leftOut;
  for (const [column, flags] of kind === "requests" ? sample.columns : []) {
    const isFlag =
      !fields.has(column) && isNamedCancelled(column) && flags.every((one) => BOOLEAN_WORDS.test(one));
    const cancelled = isFlag ? [...new Set(flags.filter(isYes))] : [];
    if (cancelled.length > 0) skip[column] = cancelled;
  }
  for (const { column, words } of kind === "requests" ? grantColumns(sample, fields) : []) {
    skip[column] = words;
    notes.push(
      `rows with ${words.map(shown).join(" or ")} in ${shown(column)} are no leave: they are left out; import them as adjustments where balances need them`,
    );
  }
  return skip;
}

/** Whether a status says that an amount was asked for, but does not count. */
function isNotGranted(word: string): boolean {
  const choices = cellOf("requests", "status")?.choices ?? [];
  const meant = meantChoice(word, choices);
  return isCancelled(word) || (meant !== null && meant !== "approved");
}

const PERSON_STATUS = "status";

/** Of people, the column with their last day; null where there is none. Nobody may have one yet. */
function leavingColumn({ kind, fields }: Guess): string | null {
  return (kind === "workers" ? columnOf(fields, PERSON_END) : undefined) ?? null;
}

/**
 * Tables for fields that have a fixed list of values: what is meant is guessed, the rest is left to fill in. `leaving`: the column
 * with people's last day, where no column says who is active.
 */
function translations({ kind, sample, fields }: Guess, leaving: string | null, notes: string[]): string[] {
  const tables = [...fields].flatMap(([column, field]) => {
    const all = [...new Set((sample.columns.get(column) ?? []).map((value) => value.trim()))];
    if (dateContent(kind, field) !== "") {
      const { placeholders } = datesIn(all);
      if (placeholders.length > 0 && cellOf(kind, targetsOf(field)[0]!)?.isRequired) {
        notes.push(
          `${shown(column)} has no date in rows with ${placeholders.map(shown).join(" or ")}: every row needs ${field}`,
        );
        return [];
      }
      const none = placeholders.map((value) => `${json(value)}: ""`);
      return none.length === 0 ? [] : [`${json(field)}: { ${none.join(", ")} }`];
    }
    if (field === PERSON_MANAGER) {
      const none = all.filter((value) => NOBODY.test(value)).map((value) => `${json(value)}: ""`);
      return none.length === 0 ? [] : [`${json(field)}: { ${none.join(", ")} }`];
    }
    const choices = cellOf(kind, field)?.choices;
    const values = all.filter((value) => kind !== "requests" || !isCancelled(value));
    if (choices === undefined || values.length === 0) return [];
    if (values.length > MAX_CHOICES) {
      notes.push(`${shown(column)} has ${values.length} different values, so is it ${field}?`);
      return [];
    }
    const isFlag = values.every((value) => BOOLEAN_WORDS.test(value));
    const meant = (value: string) => {
      if (isFlag && choices.includes("active")) return meantState(column, value);
      return isFlag && choices.includes("approved") && isYes(value)
        ? "approved"
        : meantChoice(value, choices);
    };
    const pairs = values.map((value) => [value, meant(value)] as const);
    const unknown = pairs.filter(([, choice]) => choice === null).map(([value]) => shown(value));
    if (unknown.length > 0)
      notes.push(`${field}: what is ${unknown.join(", ")}: one of ${choices.join(", ")}, or rows to "skip"?`);
    const known = pairs.flatMap(([value, choice]) =>
      choice === null ? [] : [`${json(value)}: ${json(choice)}`],
    );
    return known.length === 0 ? [] : [`${json(field)}: { ${known.join(", ")} }`];
  });
  if (leaving !== null) {
    const none = ["", ...datesIn(sample.columns.get(leaving) ?? []).placeholders];
    const active = none.map((value) => `${json(value)}: "active"`);
    tables.push(`${json(PERSON_STATUS)}: { ${active.join(", ")}, "*": "inactive" }`);
    notes.push(
      `no column has a status: who has a date in ${shown(leaving)} is inactive, also if that day is still to come`,
    );
  }
  return tables.length === 0 ? [] : [`"translate": { ${tables.join(", ")} }`];
}

/** Values for fields that every row needs and no column has, and what to say of those that cannot be guessed. */
function missingValues(
  kind: FactKind,
  taken: ReadonlySet<string>,
  fields: ReadonlyMap<string, string>,
  leaving: string | null,
): { readonly values: string[]; readonly missing: string[] } {
  const values: string[] = [];
  const missing: string[] = [];
  const guesses: Readonly<Record<string, unknown>> = {
    isBusiness: false,
    type: "employee",
    status: kind === "requests" ? "approved" : leaving === null ? "active" : `{${leaving}}`,
    ...(kind === "requests" ? { [LEAVE.policy]: ONE_POLICY } : {}),
  };
  const isSplit = taken.has(FULL_NAME.name);
  for (const field of requiredFields(kind)) {
    if (kind === "requests" && cellOf(kind, field)?.holds === "minutes") continue;
    if (taken.has(field) || (taken.has(LEAVE.start) && ALSO_FILLS[LEAVE.start]!.includes(field))) continue;
    if (isSplit && FULL_NAME.parts.some((part) => part === field)) continue;
    const isId = (targets: readonly string[]) =>
      targets.includes("legacyId") && !targets.includes(FULL_NAME.name);
    const id = [...fields].find(([, one]) => isId(targetsOf(one)))?.[0]; // a name makes no address
    if (field === "email" && id !== undefined) values.push(`"email": ${json(`{${id}}@no-email.invalid`)}`);
    else if (field in guesses) {
      values.push(`${json(field)}: ${json(guesses[field])}`);
      if (kind === "requests")
        missing.push(
          `no column is known as ${field}, so it is ${json(guesses[field])} in every row: is that right?`,
        );
    } else if (kind === "adjustments" && field === "date")
      missing.push(
        'date is missing: on which day were these the amounts? Add it to values: "date": "2026-01-01"',
      );
    else missing.push(`${field} is missing: every row needs it; add it to columns or values`);
  }
  if (kind === "requests" && !taken.has("legacyId")) {
    const parts = [LEAVE.worker, LEAVE.policy, LEAVE.start].flatMap((field) => columnOf(fields, field) ?? []);
    values.push(`"legacyId": ${json(parts.map((column) => `{${column}}`).join("|"))}`);
  }
  if (kind === "workers" && !taken.has("legacyId"))
    missing.push("legacyId is missing: which column tells people apart?");
  return { values, missing };
}

function requiredFields(kind: FactKind): string[] {
  return fieldSynonyms(kind)
    .map(([field]) => field)
    .filter((field) => cellOf(kind, field)?.isRequired ?? false)
    .concat(kind === "workers" ? ["isBusiness"] : []);
}
