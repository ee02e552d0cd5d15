// One worker's facts as bytes: what the balances of all of his assignments are computed from. A page of balances decodes hundreds of
// facts, so they are numbers of one to three bytes, which are read without objects between.
//
// A number is written in groups of seven bits, the lowest first; each byte but the last has its high bit set. A signed one is doubled,
// and odd if it is negative. A day is written as its distance from another one.
import {
  type AdjustmentColumns,
  type HoursColumns,
  type RequestColumns,
  StoreUnavailable,
} from "../../store.ts";
import { placeOfStatus, statusAt } from "./rows.ts";

/** The facts of a worker who has an assignment. */
export interface FactsOfWorker {
  readonly startDay: number;
  readonly endDay: number | null;
  /** `WorkerRow.terms`. */
  readonly terms: string | null;
  /** In the order of the ids of their policies. */
  readonly assignments: readonly AssignedFacts[];
  readonly workedHours: readonly HoursColumns[];
}

export interface AssignedFacts {
  /** The number of the policy's id. */
  readonly policy: number;
  readonly assignedDay: number;
  readonly endsDay: number | null;
  /** `AssignmentRow.terms`. */
  readonly terms: string | null;
  /** Pending and approved ones of the policy. */
  readonly requests: readonly RequestColumns[];
  /** Of the policy. */
  readonly adjustments: readonly AdjustmentColumns[];
}

/** Bits of the number before what may be missing: a last day, and terms, which mostly say nothing but the first day. */
const HAS_END = 1;
const HAS_TERMS = 2;
const HAS_START = 4;
const FLAGS = 8;

/** The terms of an assignment that has nothing else than its `startsOn`. */
const startTerms = (day: number) => `{"startsOn":${day}}`;

/** Of the number before a request: its status, and whether it has terms. The rest is how many days it lasts. */
const STATUSES = 4;

const NONE: readonly never[] = [];

/** The same bytes for the same facts, whatever order the entries of a list have. */
export function factBytes({ startDay, endDay, terms, assignments, workedHours }: FactsOfWorker): Uint8Array {
  writer.begin();
  writer.signed(startDay);
  writer.ending(assignments.length, startDay, endDay, terms);
  for (const one of assignments) {
    writer.whole(one.policy);
    writer.signed(one.assignedDay - startDay);
    writer.ending(one.requests.length, one.assignedDay, one.endsDay, one.terms);
    let last = startDay;
    for (const request of sorted(one.requests, byDays)) {
      const { status, firstDay, lastDay, minutes, terms } = request;
      const rest = (terms === null ? 0 : HAS_TERMS) + placeOfStatus(status);
      writer.whole(signless(lastDay - firstDay) * STATUSES + rest);
      writer.signed(firstDay - last);
      writer.minutes(minutes);
      if (terms !== null) writer.text(terms);
      last = firstDay;
    }
    writer.entries(startDay, one.adjustments);
  }
  writer.entries(startDay, workedHours);
  return writer.bytes();
}

function byDay(a: HoursColumns, b: HoursColumns): number {
  return a.day - b.day || a.minutes - b.minutes;
}

/** The list itself if it is sorted, as most are. */
function sorted<T>(list: readonly T[], compare: (a: T, b: T) => number): readonly T[] {
  for (let at = 1; at < list.length; at++)
    if (compare(list[at - 1]!, list[at]!) > 0) return list.toSorted(compare);
  return list;
}

/** Some order in which equal lists are equal. */
function byDays(a: RequestColumns, b: RequestColumns): number {
  return (
    a.firstDay - b.firstDay ||
    a.lastDay - b.lastDay ||
    a.minutes - b.minutes ||
    compare(a.status, b.status) ||
    compare(a.terms ?? "", b.terms ?? "")
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What `factBytes` wrote. Raises StoreUnavailable for other bytes, unless they happen to be facts. */
export function factsOfBytes(bytes: Uint8Array): FactsOfWorker {
  const reader = new Reader(bytes);
  const startDay = reader.signed();
  const head = reader.whole();
  const endDay = (head & HAS_END) === 0 ? null : startDay + reader.signed();
  const terms = termsOf(reader, head, startDay);
  const assignments: AssignedFacts[] = [];
  for (let left = Math.floor(head / FLAGS); left > 0; left--)
    assignments.push(assignedFacts(reader, startDay));
  return { startDay, endDay, terms, assignments, workedHours: reader.entries(startDay) };
}

function assignedFacts(reader: Reader, startDay: number): AssignedFacts {
  const policy = reader.whole();
  const assignedDay = startDay + reader.signed();
  const head = reader.whole();
  const endsDay = (head & HAS_END) === 0 ? null : assignedDay + reader.signed();
  const terms = termsOf(reader, head, assignedDay);
  const count = Math.floor(head / FLAGS);
  const requests: RequestColumns[] = [];
  let firstDay = startDay;
  for (let at = 0; at < count; at++) {
    const first = reader.whole();
    firstDay += reader.signed();
    requests.push({
      status: statusAt(first & 1) as RequestColumns["status"], // a place that was written
      firstDay,
      lastDay: firstDay + signed(Math.floor(first / STATUSES)),
      minutes: reader.minutes(),
      terms: (first & HAS_TERMS) === 0 ? null : reader.text(),
    });
  }
  return { policy, assignedDay, endsDay, terms, requests, adjustments: reader.entries(startDay) };
}

function termsOf(reader: Reader, head: number, firstDay: number): string | null {
  if ((head & HAS_START) !== 0) return startTerms(firstDay);
  return (head & HAS_TERMS) === 0 ? null : reader.text();
}

function signless(value: number): number {
  return value < 0 ? -value * 2 - 1 : value * 2;
}

function signed(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Minutes are mostly half hours, which are doubled. Others are odd: whole ones with this, and beyond their limit what memory has. */
const HALF_HOUR = 30;
const WHOLE = 1;
const OTHER = 3;
const WHOLE_MINUTES_MAX = 2 ** 48;

const NUMBER_BYTES = 8;

class Writer {
  #bytes = new Uint8Array(1024);
  #at = 0;

  begin(): void {
    this.#at = 0;
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#at);
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const longer = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + size));
    longer.set(this.#bytes);
    this.#bytes = longer;
  }

  /** A safe integer that is not negative. */
  whole(value: number): void {
    this.#reserve(NUMBER_BYTES);
    let left = value;
    for (; left >= 0x80; left = Math.floor(left / 0x80)) this.#bytes[this.#at++] = (left % 0x80) + 0x80;
    this.#bytes[this.#at++] = left;
  }

  signed(value: number): void {
    this.whole(signless(value));
  }

  text(value: string): void {
    const bytes = encoder.encode(value);
    this.whole(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  minutes(value: number): void {
    if (Number.isInteger(value) && Math.abs(value) < WHOLE_MINUTES_MAX) {
      if (value >= 0 && value % HALF_HOUR === 0) this.whole((value / HALF_HOUR) * 2);
      else this.whole(signless(value) * 4 + WHOLE);
      return;
    }
    this.whole(OTHER);
    this.#reserve(NUMBER_BYTES);
    new DataView(this.#bytes.buffer).setFloat64(this.#at, value);
    this.#at += NUMBER_BYTES;
  }

  /** A count, and behind it the last day and the terms, if there are any. */
  ending(count: number, firstDay: number, lastDay: number | null, terms: string | null): void {
    const isStart = terms !== null && terms === startTerms(firstDay);
    const hasTerms = terms === null ? 0 : isStart ? HAS_START : HAS_TERMS;
    this.whole(count * FLAGS + hasTerms + (lastDay === null ? 0 : HAS_END));
    if (lastDay !== null) this.signed(lastDay - firstDay);
    if (terms !== null && !isStart) this.text(terms);
  }

  entries(from: number, entries: readonly HoursColumns[]): void {
    this.whole(entries.length);
    let last = from;
    for (const { day, minutes } of sorted(entries, byDay)) {
      this.signed(day - last);
      this.minutes(minutes);
      last = day;
    }
  }
}

/** One for all: its memory costs more than what is written. */
const writer = new Writer();

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  whole(): number {
    const first = this.#bytes[this.#at++]!;
    if (first < 0x80) return first;
    let value = first - 0x80;
    for (let scale = 0x80; ; scale *= 0x80) {
      const next = this.#bytes[this.#at++];
      if (next === undefined)
        throw new StoreUnavailable("The facts of a worker are damaged", "run rollcall doctor");
      if (next < 0x80) return value + next * scale;
      value += (next - 0x80) * scale;
    }
  }

  signed(): number {
    return signed(this.whole());
  }

  text(): string {
    const length = this.whole();
    this.#at += length;
    return decoder.decode(this.#bytes.subarray(this.#at - length, this.#at));
  }

  minutes(): number {
    const value = this.whole();
    if (value % 2 === 0) return (value / 2) * HALF_HOUR;
    if (value % 4 === WHOLE) return signed((value - WHOLE) / 4);
    const { buffer, byteOffset } = this.#bytes;
    this.#at += NUMBER_BYTES;
    return new DataView(buffer, byteOffset).getFloat64(this.#at - NUMBER_BYTES);
  }

  entries(from: number): readonly HoursColumns[] {
    const count = this.whole();
    if (count === 0) return NONE;
    const entries: HoursColumns[] = [];
    let day = from;
    for (let at = 0; at < count; at++) {
      day += this.signed();
      entries.push({ day, minutes: this.minutes() });
    }
    return entries;
  }
}
