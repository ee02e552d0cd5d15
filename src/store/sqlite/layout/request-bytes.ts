// Requests' objects in bytes, as the embedded store holds them: a sixth of their JSON. The keys are left out, and the id, which is the
// row's key, and the policy's id, of which every row has the number. What is written as imports write it (instants, ids, whole
// minutes, names of zones) becomes a number. Anything else stays as it is written, after its length. So every object comes back byte
// by byte: see request-json.ts.
import { ID_PREFIX } from "../../../resources/ids.ts";
import { REQUEST_STATUSES } from "../../../resources/requests.ts";
import { jsonText } from "../../../resources/resource.ts";
import { digits } from "../../../time/day.ts";
import { formatInstant, parseUtc } from "../../../time/instant.ts";
import { ZONE_NAMES } from "./zone-names.ts";

/** The first byte of an object that has its policy's id. Another form gets another number: what is stored is read by it. */
export const WITH_POLICY = 2;
/** The first byte of an object whose policy is that of its row. */
export const REQUEST_BYTES = 4;

export function isRequestBytes(form: number | undefined): boolean {
  return form === REQUEST_BYTES || form === WITH_POLICY;
}

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

/** A status is stored as its place here. */
export const STATUSES = REQUEST_STATUSES.map((status) => `"${status}"`);
/** What is packed of an id: its prefix is known. */
export const PACKED_CHARACTERS = 20;
export const PACKED_BYTES = 13;
export const QUOTE = 34;
export const POLICY = `"${ID_PREFIX.policy}`;
export const WORKER = `"${ID_PREFIX.worker}`;

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

/** What of a request is a number; the status is its place. */
interface RequestNumbers {
  readonly createdMs: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly minutes: number;
  readonly status: number;
}

/**
 * A request's object as bytes: `ends` has the ends of each of its values in `doc`, in the order of the wire. It is without its policy's
 * id if that is `policyId`.
 */
export function requestBytes(doc: string, ends: readonly number[], policyId: string | null): Uint8Array {
  const texts: string[] = [];
  for (let at = 0; at < ends.length; at += 2) texts.push(doc.slice(ends[at], ends[at + 1]));
  const form =
    policyId !== null && texts[POLICY_ID_VALUE] === jsonText(policyId) ? REQUEST_BYTES : WITH_POLICY;
  return encoded(form, texts, {
    createdMs: instantOf(texts[CREATED_AT_VALUE]!),
    startMs: instantOf(texts[START_AT_VALUE]!),
    endMs: instantOf(texts[END_AT_VALUE]!),
    minutes: wholeOf(texts[MINUTES_VALUE]!),
    status: STATUSES.indexOf(texts[STATUS_VALUE]!),
  });
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
  const [createdMs, endMs, reason, minutes, startMs, status, , zone, workerId, legacyId] = values;
  const isWhole = Number.isInteger(minutes) && minutes >= 0 && minutes < WHOLE_END;
  const texts = [
    instantText(createdMs),
    instantText(endMs),
    jsonText(reason),
    isWhole ? "" : jsonText(minutes),
    instantText(startMs),
    "",
    "",
    jsonText(zone),
    jsonText(workerId),
    jsonText(legacyId),
  ];
  return encoded(REQUEST_BYTES, texts, {
    createdMs,
    startMs,
    endMs,
    minutes: isWhole ? minutes : -1,
    status: REQUEST_STATUSES.indexOf(status),
  });
}

/** `texts` are the values as they are written, in the order of the wire. Where a number says it, the text is not looked at. */
function encoded(form: number, texts: readonly string[], numbers: RequestNumbers): Uint8Array {
  let most = 256;
  for (let at = 0; at < texts.length; at++) most += texts[at]!.length * 3; // a character has at most three bytes
  if (scratch.length < most) scratch = new Uint8Array(most);
  const { createdMs, startMs, endMs, minutes, status } = numbers;
  scratch[0] = form;
  end = HEAD_BYTES;
  let forms = 0;
  // What columns are left to stands first.
  forms |= writeZone(texts[TIME_ZONE_VALUE]!) << TIME_ZONE;
  forms |= writeText(texts[LEGACY_ID_VALUE]!) << LEGACY_ID;
  forms |= writeInstant(createdMs, 1000, texts[CREATED_AT_VALUE]!) << CREATED_AT;
  const startForm = writeInstant(startMs, MINUTE_MS, texts[START_AT_VALUE]!);
  forms |= startForm << START_AT;
  const minutesLong = startForm === 0 ? (endMs - startMs) / MINUTE_MS : -1;
  if (Number.isInteger(minutesLong) && minutesLong >= 0) writeNumber(minutesLong);
  else forms |= writeInstant(endMs, 0, texts[END_AT_VALUE]!) << END_AT;
  writeNumber(minutes + 1);
  if (minutes < 0) writeAsWritten(texts[MINUTES_VALUE]!);
  if (form === WITH_POLICY) forms |= writeId(POLICY, texts[POLICY_ID_VALUE]!) << POLICY_ID;
  forms |= writeId(WORKER, texts[WORKER_ID_VALUE]!) << WORKER_ID;
  if (status < 0) writeAsWritten(texts[STATUS_VALUE]!);
  forms |= (status < 0 ? NO_STATUS : status) << STATUS;
  forms |= writeText(texts[REASON_VALUE]!) << REASON;
  scratch[1] = forms & 0xff;
  scratch[2] = forms >> 8;
  return scratch.slice(0, end);
}

/** From here on a whole number has more than fifteen digits. */
const WHOLE_END = 1e15;

/** An instant as it is written, where a number cannot say it. */
function instantText(ms: number): string {
  return ms >= 0 ? "" : jsonText(formatInstant(ms));
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

function writeAsWritten(text: string, from = 0, to = text.length): number {
  const start = end;
  writeNumber(to - from);
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return writeUtf8(text.slice(from, to), start);
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
function writeText(text: string): number {
  if (text === "null") return 0;
  const last = text.length - 1;
  const isString = last >= 1 && text.charCodeAt(0) === QUOTE && text.charCodeAt(last) === QUOTE;
  if (!isString) return writeAsWritten(text);
  writeAsWritten(text, 1, last);
  return 1;
}

function writeZone(text: string): number {
  if (text === "null") return 0;
  const place = PLACE_OF_ZONE.get(text);
  if (place === undefined) return writeAsWritten(text);
  scratch[end++] = place & 0xff;
  scratch[end++] = place >> 8;
  return 1;
}

/** In whole units if they fit four bytes, else in milliseconds. */
function writeInstant(ms: number, unitMs: number, text: string): number {
  if (!(ms >= 0)) return writeAsWritten(text);
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
function instantOf(text: string): number {
  if (text.charCodeAt(0) !== QUOTE || text.charCodeAt(text.length - 1) !== QUOTE) return Number.NaN;
  return parseUtc(text.slice(1, -1)) ?? Number.NaN;
}

/** A whole number of at most fifteen digits; -1 for any other text. */
function wholeOf(text: string): number {
  const hasLeadingZero = text.charCodeAt(0) === ZERO && text.length > 1;
  return text.length === 0 || text.length > 15 || hasLeadingZero ? -1 : digits(text, 0, text.length);
}

const ZERO = 48;

/** 0 for an id that is packed, 1 for one that is as it is written. */
function writeId(prefix: string, text: string): number {
  const start = end;
  const last = prefix.length + PACKED_CHARACTERS;
  if (text.length === last + 1 && text.startsWith(prefix) && text.charCodeAt(last) === QUOTE) {
    let bits = 0;
    let count = 0;
    let at = prefix.length;
    for (; at < last; at++) {
      const code = text.charCodeAt(at);
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
  writeAsWritten(text);
  return 1;
}
