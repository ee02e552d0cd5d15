// Requests' objects in bytes, as the embedded store holds them: a sixth of their JSON. The keys are left out, and the id, which is the
// row's key. What is written as imports write it (instants, ids, whole minutes, names of zones) becomes a number. Anything
// else stays as it is written, after its length. So every object comes back byte by byte: see request-json.ts.
import { dayOf, daysInMonth, digits } from "../../../time/day.ts";
import { ZONE_NAMES } from "./zone-names.ts";

/** The first byte. Another form gets another number: what is stored is read by it. */
export const REQUEST_BYTES = 2;

/** The values of a request's object, each as JSON, in the order of the wire, without the id. */
export type RequestValues = readonly [
  createdAt: string,
  endAt: string,
  reason: string,
  requestedMinutes: string,
  startAt: string,
  status: string,
  timeOffPolicyId: string,
  timeZone: string,
  workerId: string,
  legacyId: string,
];

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
/** Instants in six bytes. */
const INSTANT_MAX_MS = 2 ** 48 - 1;
/** Whole minutes with at most fifteen digits. */
const WHOLE = /^(?:0|[1-9]\d{0,14})$/;

let scratch = new Uint8Array(1024);
let end = 0;

/** The object of these values. */
export function requestBytes(values: RequestValues): Uint8Array {
  const [createdAt, endAt, reason, minutes, startAt, status, policyId, timeZone, workerId, legacyId] = values;
  let most = 128;
  for (const value of values) most += value.length * 3 + 8; // a character has at most three bytes
  if (scratch.length < most) scratch = new Uint8Array(most);
  scratch[0] = REQUEST_BYTES;
  end = HEAD_BYTES;
  let forms = 0;
  // What columns are left to stands first.
  forms |= writeZone(timeZone) << TIME_ZONE;
  forms |= writeText(legacyId) << LEGACY_ID;
  forms |= writeInstant(createdAt, 1000) << CREATED_AT;
  const startForm = writeInstant(startAt, MINUTE_MS);
  forms |= startForm << START_AT;
  forms |= writeEnd(endAt, startForm === 0 ? instantOf(startAt) : Number.NaN) << END_AT;
  if (WHOLE.test(minutes)) writeNumber(Number(minutes) + 1);
  else {
    writeNumber(0);
    writeAsWritten(minutes);
  }
  forms |= writeId(policyId, POLICY) << POLICY_ID;
  forms |= writeId(workerId, WORKER) << WORKER_ID;
  const place = STATUSES.indexOf(status);
  forms |= (place === -1 ? NO_STATUS : place) << STATUS;
  if (place === -1) writeAsWritten(status);
  forms |= writeText(reason) << REASON;
  scratch[1] = forms & 0xff;
  scratch[2] = forms >> 8;
  return scratch.slice(0, end);
}

/** In base 128, the lowest digits first; every byte but the last has its high bit set. */
function writeNumber(value: number): void {
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) scratch[end++] = (rest % 128) + 128;
  scratch[end++] = rest;
}

function writeAsWritten(value: string, from = 0, to = value.length): number {
  const start = end;
  writeNumber(to - from);
  const first = end;
  for (let at = from; at < to; at++) {
    const code = value.charCodeAt(at);
    if (code > 127) return writeUtf8(value.slice(from, to), start);
    scratch[end++] = code;
  }
  end = first + to - from;
  return AS_WRITTEN;
}

function writeUtf8(value: string, start: number): number {
  end = start;
  const bytes = bytesOf(value);
  writeNumber(bytes.length);
  scratch.set(bytes, end);
  end += bytes.length;
  return AS_WRITTEN;
}

/** Null, or a string without its quotes. */
function writeText(value: string): number {
  if (value === "null") return 0;
  const isString = value.length >= 2 && value.startsWith('"') && value.endsWith('"');
  if (!isString) return writeAsWritten(value);
  writeAsWritten(value, 1, value.length - 1);
  return 1;
}

function writeZone(value: string): number {
  if (value === "null") return 0;
  const place = PLACE_OF_ZONE.get(value);
  if (place === undefined) return writeAsWritten(value);
  scratch[end++] = place & 0xff;
  scratch[end++] = place >> 8;
  return 1;
}

/** In whole units if they fit four bytes, else in milliseconds. */
function writeInstant(value: string, unitMs: number): number {
  const ms = instantOf(value);
  if (!(ms >= 0 && ms <= INSTANT_MAX_MS)) return writeAsWritten(value);
  const units = ms / unitMs;
  const isWhole = Number.isInteger(units) && units <= UNSIGNED_MAX;
  let rest = isWhole ? units : ms;
  for (let left = isWhole ? 4 : 6; left > 0; left--) {
    scratch[end++] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return isWhole ? 0 : 1;
}

/** Mostly in minutes after the start. */
function writeEnd(value: string, startMs: number): number {
  const minutes = (instantOf(value) - startMs) / MINUTE_MS;
  if (!(Number.isInteger(minutes) && minutes >= 0)) {
    const form = writeInstant(value, Number.NaN); // in milliseconds, as no whole number of units
    return form;
  }
  writeNumber(minutes);
  return 0;
}

/** The instant of a text as `Date` writes it, in quotes; NaN for any other. */
function instantOf(value: string): number {
  if (value.length !== 26 || value[0] !== '"' || value[5] !== "-" || value[8] !== "-") return Number.NaN;
  if (value[11] !== "T" || value[14] !== ":" || value[17] !== ":" || value[20] !== ".") return Number.NaN;
  if (value[24] !== "Z" || value[25] !== '"') return Number.NaN;
  const [year, month, dayOfMonth] = [digits(value, 1, 5), digits(value, 6, 8), digits(value, 9, 11)];
  const [hours, minutes, seconds] = [digits(value, 12, 14), digits(value, 15, 17), digits(value, 18, 20)];
  const ms = digits(value, 21, 24);
  if (year < 0 || month < 1 || month > 12 || dayOfMonth < 1 || dayOfMonth > daysInMonth(year, month))
    return Number.NaN;
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59 || ms < 0)
    return Number.NaN;
  return (
    dayOf(year, month, dayOfMonth) * DAY_MS +
    hours * 60 * MINUTE_MS +
    minutes * MINUTE_MS +
    seconds * 1000 +
    ms
  );
}

/** 0 for an id that is packed, 1 for one that is as it is written. */
function writeId(value: string, prefix: string): number {
  const start = end;
  const last = prefix.length + PACKED_CHARACTERS;
  if (value.length === last + 1 && value.startsWith(prefix) && value.charCodeAt(last) === QUOTE) {
    let bits = 0;
    let count = 0;
    let at = prefix.length;
    for (; at < last; at++) {
      const code = value.charCodeAt(at);
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
  writeAsWritten(value);
  return 1;
}
