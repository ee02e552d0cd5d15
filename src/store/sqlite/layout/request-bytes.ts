// Requests' objects in bytes, as the embedded store holds them: a sixth of their JSON. The keys are left out, and the id, which is the
// row's key. What is written as imports write it (instants, ids, whole minutes, names of zones) becomes a number. Anything
// else stays as it is written, after its length. So every object comes back byte by byte: see request-json.ts.
import { REQUEST_STATUSES } from "../../../resources/requests.ts";
import { jsonText } from "../../../resources/resource.ts";
import { dayOf, daysInMonth, digits } from "../../../time/day.ts";
import { formatInstant } from "../../../time/instant.ts";
import { ZONE_NAMES } from "./zone-names.ts";

/** The first byte. Another form gets another number: what is stored is read by it. */
export const REQUEST_BYTES = 2;

// After the first byte come two with the form of each value (these are the places of their bits), then the values themselves.
export const STATUS = 0;
export const CREATED_AT = 2;
export const START_AT = 4;
export const END_AT = 6;
export const REASON = 8;
export const TIME_ZONE = 10;
export const LEGACY_ID = 12;
export const POLICY_ID = 14;
export const WORKER_ID = 15;
export const HEAD_BYTES = 3;

/** The form of what is written as it is, in two bits; of a status it is the form of no status. */
const AS_WRITTEN = 2;
export const NO_STATUS = 3;

export const STATUSES = ['"pending"', '"approved"', '"denied"'];
/** What is packed of an id: its prefix is known. */
export const PACKED_CHARACTERS = 20;
export const PACKED_BYTES = 13;
export const QUOTE = 34;
export const POLICY = '"top_';
export const WORKER = '"wrk_';

const encoder = new TextEncoder();
export const bytesOf = (text: string) => encoder.encode(text);

export const DIGITS = bytesOf("0123456789abcdefghjkmnpqrstvwxyz");
/** The value of a character of an id by its code; 32 of any other. */
const VALUES = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = DIGITS.indexOf(code);
  return value === -1 ? DIGITS.length : value;
});

const PLACE_OF_ZONE = new Map(ZONE_NAMES.map((name, place) => [`"${name}"`, place]));

export const MINUTE_MS = 60_000;
export const DAY_MS = 1440 * MINUTE_MS;
const UNSIGNED_MAX = 0xffff_ffff;

let scratch = new Uint8Array(1024);
let end = 0;

/** The places of the values among those of the wire, without the id. */
const [CREATED_AT_VALUE, END_AT_VALUE, REASON_VALUE, MINUTES_VALUE, START_AT_VALUE] = [
  0, 1, 2, 3, 4,
] as const;
const [STATUS_VALUE, POLICY_ID_VALUE, TIME_ZONE_VALUE, WORKER_ID_VALUE, LEGACY_ID_VALUE] = [
  5, 6, 7, 8, 9,
] as const;

/** A request's object as bytes: `ends` has the ends of each of its values in `doc`, in the order of the wire. */
export function requestBytes(doc: string, ends: readonly number[]): Uint8Array {
  const most = doc.length * 3 + 128; // a character has at most three bytes
  if (scratch.length < most) scratch = new Uint8Array(most);
  const from = (value: number) => ends[value * 2]!;
  const to = (value: number) => ends[value * 2 + 1]!;
  scratch[0] = REQUEST_BYTES;
  end = HEAD_BYTES;
  let forms = 0;
  // What columns are left to stands first.
  forms |= writeZone(doc, from(TIME_ZONE_VALUE), to(TIME_ZONE_VALUE)) << TIME_ZONE;
  forms |= writeText(doc, from(LEGACY_ID_VALUE), to(LEGACY_ID_VALUE)) << LEGACY_ID;
  const createdMs = instantOf(doc, from(CREATED_AT_VALUE), to(CREATED_AT_VALUE));
  forms |= writeInstant(createdMs, 1000, doc, from(CREATED_AT_VALUE), to(CREATED_AT_VALUE)) << CREATED_AT;
  const startMs = instantOf(doc, from(START_AT_VALUE), to(START_AT_VALUE));
  const startForm = writeInstant(startMs, MINUTE_MS, doc, from(START_AT_VALUE), to(START_AT_VALUE));
  forms |= startForm << START_AT;
  const endMs = instantOf(doc, from(END_AT_VALUE), to(END_AT_VALUE));
  const minutesLong = startForm === 0 ? (endMs - startMs) / MINUTE_MS : -1;
  if (Number.isInteger(minutesLong) && minutesLong >= 0) writeNumber(minutesLong);
  else forms |= writeInstant(endMs, 0, doc, from(END_AT_VALUE), to(END_AT_VALUE)) << END_AT;
  const minutes = wholeOf(doc, from(MINUTES_VALUE), to(MINUTES_VALUE));
  writeNumber(minutes + 1);
  if (minutes < 0) writeAsWritten(doc, from(MINUTES_VALUE), to(MINUTES_VALUE));
  forms |= writeId(POLICY, doc, from(POLICY_ID_VALUE), to(POLICY_ID_VALUE)) << POLICY_ID;
  forms |= writeId(WORKER, doc, from(WORKER_ID_VALUE), to(WORKER_ID_VALUE)) << WORKER_ID;
  forms |= writeStatus(doc, from(STATUS_VALUE), to(STATUS_VALUE)) << STATUS;
  forms |= writeText(doc, from(REASON_VALUE), to(REASON_VALUE)) << REASON;
  scratch[1] = forms & 0xff;
  scratch[2] = forms >> 8;
  return scratch.slice(0, end);
}

/** Instants in milliseconds, minutes, and texts, in the order of the wire, without the id. */
export type RequestValues = readonly [
  number,
  number,
  string | null,
  number,
  number,
  (typeof REQUEST_STATUSES)[number],
  string,
  string | null,
  string,
  string | null,
];

/** The same bytes of a request whose object was not written yet. */
export function newRequestBytes(values: RequestValues): Uint8Array {
  const zone = jsonText(values[TIME_ZONE_VALUE]);
  const legacyId = jsonText(values[LEGACY_ID_VALUE]);
  const reason = jsonText(values[REASON_VALUE]);
  const policyId = jsonText(values[POLICY_ID_VALUE]);
  const workerId = jsonText(values[WORKER_ID_VALUE]);
  const most = (zone.length + legacyId.length + reason.length + policyId.length + workerId.length) * 3 + 256;
  if (scratch.length < most) scratch = new Uint8Array(most);
  scratch[0] = REQUEST_BYTES;
  end = HEAD_BYTES;
  let forms = 0;
  forms |= writeZone(zone, 0, zone.length) << TIME_ZONE;
  forms |= writeText(legacyId, 0, legacyId.length) << LEGACY_ID;
  forms |= writeInstantNumber(values[CREATED_AT_VALUE], 1000) << CREATED_AT;
  const [startMs, endMs] = [values[START_AT_VALUE], values[END_AT_VALUE]];
  const startForm = writeInstantNumber(startMs, MINUTE_MS);
  forms |= startForm << START_AT;
  const minutesLong = startForm === 0 ? (endMs - startMs) / MINUTE_MS : -1;
  if (Number.isInteger(minutesLong) && minutesLong >= 0) writeNumber(minutesLong);
  else forms |= writeInstantNumber(endMs, 0) << END_AT;
  const minutes = values[MINUTES_VALUE];
  const isWhole = Number.isInteger(minutes) && minutes >= 0 && minutes < WHOLE_END;
  writeNumber(isWhole ? minutes + 1 : 0);
  if (!isWhole) writeAll(jsonText(minutes));
  forms |= writeId(POLICY, policyId, 0, policyId.length) << POLICY_ID;
  forms |= writeId(WORKER, workerId, 0, workerId.length) << WORKER_ID;
  forms |= REQUEST_STATUSES.indexOf(values[STATUS_VALUE]) << STATUS;
  forms |= writeText(reason, 0, reason.length) << REASON;
  scratch[1] = forms & 0xff;
  scratch[2] = forms >> 8;
  return scratch.slice(0, end);
}

/** From here on a whole number has more than fifteen digits. */
const WHOLE_END = 1e15;

function writeInstantNumber(ms: number, unitMs: number): number {
  const text = ms >= 0 ? "" : jsonText(formatInstant(ms));
  return writeInstant(ms, unitMs, text, 0, text.length);
}

function writeAll(text: string): number {
  return writeAsWritten(text, 0, text.length);
}

/** Whether `doc` has this text, and nothing else, between two places. */
export function isText(text: string, doc: string, from: number, to: number): boolean {
  return to - from === text.length && doc.startsWith(text, from);
}

/** In base 128, the lowest digits first; every byte but the last has its high bit set. */
function writeNumber(value: number): void {
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) scratch[end++] = (rest % 128) + 128;
  scratch[end++] = rest;
}

function writeAsWritten(doc: string, from: number, to: number): number {
  const start = end;
  writeNumber(to - from);
  for (let at = from; at < to; at++) {
    const code = doc.charCodeAt(at);
    if (code > 127) return writeUtf8(doc.slice(from, to), start);
    scratch[end++] = code;
  }
  return AS_WRITTEN;
}

function writeUtf8(text: string, start: number): number {
  end = start;
  const bytes = bytesOf(text);
  writeNumber(bytes.length);
  scratch.set(bytes, end);
  end += bytes.length;
  return AS_WRITTEN;
}

/** Null, or a string without its quotes. */
function writeText(doc: string, from: number, to: number): number {
  if (isText("null", doc, from, to)) return 0;
  const isString = to - from >= 2 && doc.charCodeAt(from) === QUOTE && doc.charCodeAt(to - 1) === QUOTE;
  if (!isString) return writeAsWritten(doc, from, to);
  writeAsWritten(doc, from + 1, to - 1);
  return 1;
}

function writeZone(doc: string, from: number, to: number): number {
  if (isText("null", doc, from, to)) return 0;
  const place = PLACE_OF_ZONE.get(doc.slice(from, to));
  if (place === undefined) return writeAsWritten(doc, from, to);
  scratch[end++] = place & 0xff;
  scratch[end++] = place >> 8;
  return 1;
}

function writeStatus(doc: string, from: number, to: number): number {
  for (let status = 0; status < STATUSES.length; status++)
    if (isText(STATUSES[status]!, doc, from, to)) return status;
  writeAsWritten(doc, from, to);
  return NO_STATUS;
}

/** In whole units if they fit four bytes, else in milliseconds. */
function writeInstant(ms: number, unitMs: number, doc: string, from: number, to: number): number {
  if (!(ms >= 0)) return writeAsWritten(doc, from, to);
  const units = ms / unitMs;
  const isWhole = Number.isInteger(units) && units <= UNSIGNED_MAX;
  let rest = isWhole ? units : ms;
  for (let left = isWhole ? 4 : 6; left > 0; left--) {
    scratch[end++] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return isWhole ? 0 : 1;
}

/** The instant of a text as `Date` writes it, in quotes; NaN for any other. */
function instantOf(doc: string, from: number, to: number): number {
  if (to - from !== INSTANT_CHARACTERS) return Number.NaN;
  for (let at = 0; at < MARK_PLACES.length; at++)
    if (doc.charCodeAt(from + MARK_PLACES[at]!) !== MARK_CODES[at]) return Number.NaN;
  const year = digits(doc, from + 1, from + 5);
  const month = digits(doc, from + 6, from + 8);
  const dayOfMonth = digits(doc, from + 9, from + 11);
  const hours = digits(doc, from + 12, from + 14);
  const minutes = digits(doc, from + 15, from + 17);
  const seconds = digits(doc, from + 18, from + 20);
  const milliseconds = digits(doc, from + 21, from + 24);
  if (year < 0 || month < 1 || month > 12) return Number.NaN;
  if (dayOfMonth < 1 || dayOfMonth > daysInMonth(year, month)) return Number.NaN;
  if (hours < 0 || minutes < 0 || seconds < 0 || milliseconds < 0) return Number.NaN;
  if (hours > 23 || minutes > 59 || seconds > 59) return Number.NaN;
  const ofDay = (hours * 3600 + minutes * 60 + seconds) * 1000 + milliseconds;
  return dayOf(year, month, dayOfMonth) * DAY_MS + ofDay;
}

const INSTANT_CHARACTERS = 26;
/** What is not a digit: where, and its code. */
const MARKS = [...'"____-__-__T__:__:__.___Z"']
  .map((mark, at) => ({ at, mark }))
  .filter(({ mark }) => mark !== "_");
const MARK_PLACES = Uint8Array.from(MARKS, ({ at }) => at);
const MARK_CODES = Uint8Array.from(MARKS, ({ mark }) => mark.charCodeAt(0));

/** A whole number of at most fifteen digits; -1 for any other text. */
function wholeOf(doc: string, from: number, to: number): number {
  const hasLeadingZero = doc.charCodeAt(from) === ZERO && to - from > 1;
  return to === from || to - from > 15 || hasLeadingZero ? -1 : digits(doc, from, to);
}

const ZERO = 48;

/** 0 for an id that is packed, 1 for one that is as it is written. */
function writeId(prefix: string, doc: string, from: number, to: number): number {
  const start = end;
  const last = from + prefix.length + PACKED_CHARACTERS;
  if (to === last + 1 && doc.startsWith(prefix, from) && doc.charCodeAt(last) === QUOTE) {
    let bits = 0;
    let count = 0;
    let at = from + prefix.length;
    for (; at < last; at++) {
      const code = doc.charCodeAt(at);
      const digit = code < 128 ? VALUES[code]! : DIGITS.length;
      if (digit === DIGITS.length) break;
      bits = ((bits << 5) | digit) & 0xfff;
      count += 5;
      if (count >= 8) {
        count -= 8;
        scratch[end++] = (bits >> count) & 0xff;
      }
    }
    if (at === last) {
      scratch[end++] = (bits << (8 - count)) & 0xff;
      return 0;
    }
    end = start;
  }
  writeAsWritten(doc, from, to);
  return 1;
}
