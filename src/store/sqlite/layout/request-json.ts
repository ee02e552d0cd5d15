// The JSON of requests from their bytes (request-bytes.ts). A page has dozens of them, so no text is made in between.
import { requests } from "../../../resources/requests.ts";
import { wireNames } from "../../../resources/resource.ts";
import { formatDay } from "../../../time/day.ts";
import {
  bytesOf,
  CREATED_AT,
  DIGITS,
  END_AT,
  HEAD_BYTES,
  LEGACY_ID,
  MINUTE_MS,
  NO_STATUS,
  PACKED_BYTES,
  PACKED_CHARACTERS,
  POLICY,
  POLICY_ID,
  QUOTE,
  REASON,
  START_AT,
  STATUS,
  STATUSES,
  TIME_ZONE,
  WITH_POLICY,
  WORKER,
  WORKER_ID,
} from "./request-bytes.ts";
import { ZONE_NAMES } from "./zone-names.ts";

let cursor = 0;

function readNumber(stored: Uint8Array): number {
  let value = 0;
  let scale = 1;
  let byte: number;
  do {
    byte = stored[cursor++] ?? 0;
    value += (byte & 127) * scale;
    scale *= 128;
  } while (byte > 127);
  return value;
}

function readUnsigned(stored: Uint8Array): number {
  const at = cursor;
  cursor += 4;
  return (stored[at]! | (stored[at + 1]! << 8) | (stored[at + 2]! << 16) | (stored[at + 3]! << 24)) >>> 0;
}

function readInstantMs(stored: Uint8Array): number {
  const low = readUnsigned(stored);
  const at = cursor;
  cursor += 2;
  return low + (stored[at]! | (stored[at + 1]! << 8)) * 2 ** 32;
}

/** Where a value is that is as it was written: `cursor` is its end. */
function readWritten(stored: Uint8Array): number {
  const length = readNumber(stored);
  const from = cursor;
  cursor = Math.min(from + length, stored.length);
  return from;
}

/** In milliseconds; of an instant that is as it was written, where it is: `cursor` is its end. */
function readInstant(stored: Uint8Array, form: number, unitMs: number): number {
  if (form === 0) return readUnsigned(stored) * unitMs;
  return form === 1 ? readInstantMs(stored) : readWritten(stored);
}

/** The most bytes that an object has beyond those of its stored form, its id and its policy's. */
export const REQUEST_BYTES_MORE = 512;

const BEFORE_ID = bytesOf('{"id":"');
/** What stands before each value, in the order of the wire. */
const KEYS = wireNames(requests.fields)
  .filter((name) => name !== "id")
  .map((name, place) => bytesOf(`${place === 0 ? '"' : ""},"${name}":`));
const INSTANT_BYTES = bytesOf('"0000-00-00T00:00:00.000Z"');
const MINTED_ID = bytesOf("tor_00000000000000000000");
const STATUS_BYTES = STATUSES.map(bytesOf);
const POLICY_BYTES = bytesOf(POLICY);
const WORKER_BYTES = bytesOf(WORKER);
const ZONES = ZONE_NAMES.map((name) => bytesOf(`"${name}"`));
const NULL = bytesOf("null");

// The texts of an object in which everything is written as imports write it, as nearly all are. Digits are put into them.
const PACKED_ID = bytesOf(`${"0".repeat(PACKED_CHARACTERS)}"`);
/** All until the reason. */
const BEGINNING = Buffer.concat([
  BEFORE_ID,
  MINTED_ID,
  KEYS[0]!,
  INSTANT_BYTES,
  KEYS[1]!,
  INSTANT_BYTES,
  KEYS[2]!,
]);
const CREATED_AT_DIGITS = BEFORE_ID.length + MINTED_ID.length + KEYS[0]!.length + 1;
const END_AT_DIGITS = CREATED_AT_DIGITS - 1 + INSTANT_BYTES.length + KEYS[1]!.length + 1;
/** By status: from the minutes until the time zone. */
const MIDDLES = STATUS_BYTES.map((status) =>
  Buffer.concat([KEYS[4]!, INSTANT_BYTES, KEYS[5]!, status, KEYS[6]!, POLICY_BYTES, PACKED_ID, KEYS[7]!]),
);
const START_AT_DIGITS = KEYS[4]!.length + 1;
const POLICY_ID_END = PACKED_ID.length + KEYS[7]!.length;
/** From the time zone until the legacy id. */
const ENDING = Buffer.concat([KEYS[8]!, WORKER_BYTES, PACKED_ID, KEYS[9]!]);
const WORKER_ID_DIGITS = KEYS[8]!.length + WORKER_BYTES.length;

/** The length of the text of a policy's id of this form. */
const POLICY_LENGTH = POLICY_BYTES.length + PACKED_ID.length;

/** The bits of forms that are zero in such an object: instants are whole minutes and seconds, ids are packed. */
const USUAL_FORMS = (3 << CREATED_AT) | (3 << START_AT) | (3 << END_AT) | (1 << POLICY_ID) | (1 << WORKER_ID);

/** Writes such an object; 0 if it is none. */
function writeUsual(
  stored: Uint8Array,
  id: string,
  policy: Uint8Array,
  target: Uint8Array,
  place: number,
): number {
  const hasPolicy = stored[0] === WITH_POLICY;
  if (!hasPolicy && policy.length !== POLICY_LENGTH) return 0;
  const forms = stored[1]! | (stored[2]! << 8);
  const status = (forms >> STATUS) & 3;
  const zoneForm = (forms >> TIME_ZONE) & 3;
  if ((forms & USUAL_FORMS) !== 0 || status === NO_STATUS || zoneForm > 1 || id.length !== MINTED_ID.length)
    return 0;
  cursor = HEAD_BYTES + zoneForm * 2;
  const zone = zoneForm === 0 ? NULL : (ZONES[stored[3]! | (stored[4]! << 8)] ?? NULL);
  const legacyForm = (forms >> LEGACY_ID) & 3;
  const legacy = legacyForm === 0 ? 0 : readWritten(stored);
  const legacyEnd = cursor;
  const createdSeconds = readUnsigned(stored);
  const startMinute = readUnsigned(stored);
  const endMinute = startMinute + readNumber(stored);
  const minutes = readNumber(stored) - 1;
  if (minutes < 0) return 0;
  const packedPolicy = cursor;
  const worker = hasPolicy ? packedPolicy + PACKED_BYTES : packedPolicy;
  cursor = worker + PACKED_BYTES;
  const reasonForm = (forms >> REASON) & 3;
  const reason = reasonForm === 0 ? 0 : readWritten(stored);

  target.set(BEGINNING, place);
  putId(id, target, place + BEFORE_ID.length);
  const createdMinute = Math.floor(createdSeconds / 60);
  putMinute(createdMinute, target, place + CREATED_AT_DIGITS);
  putPair(createdSeconds - createdMinute * 60, target, place + CREATED_AT_DIGITS + SECONDS_PLACE);
  putMinute(endMinute, target, place + END_AT_DIGITS);
  let at = putText(reasonForm, stored, reason, cursor, target, place + BEGINNING.length);
  at = copy(KEYS[3]!, target, at);
  at = putWhole(minutes, target, at);
  const middle = MIDDLES[status]!;
  target.set(middle, at);
  putMinute(startMinute, target, at + START_AT_DIGITS);
  at += middle.length;
  if (hasPolicy) putPacked(stored, packedPolicy, target, at - POLICY_ID_END);
  else target.set(policy, at - POLICY_ID_END - POLICY_BYTES.length);
  at = copy(zone, target, at);
  target.set(ENDING, at);
  putPacked(stored, worker, target, at + WORKER_ID_DIGITS);
  at = putText(legacyForm, stored, legacy, legacyEnd, target, at + ENDING.length);
  target[at++] = CLOSING;
  return at;
}

/**
 * Writes the JSON of an object at a place of `target`, and returns where it ends. `REQUEST_BYTES_MORE` says how much room it needs.
 * `policy` is the JSON of the policy's id, for an object without one.
 */
export function writeRequest(
  stored: Uint8Array,
  id: string,
  policy: Uint8Array,
  target: Uint8Array,
  place: number,
): number {
  return writeUsual(stored, id, policy, target, place) || writeAny(stored, id, policy, target, place);
}

function writeAny(
  stored: Uint8Array,
  id: string,
  policyOfRow: Uint8Array,
  target: Uint8Array,
  place: number,
): number {
  const forms = stored[1]! | (stored[2]! << 8);
  const formOf = (bit: number) => (forms >> bit) & 3;
  cursor = HEAD_BYTES;
  // First where each value is, in the order in which they are stored.
  const zoneForm = formOf(TIME_ZONE);
  let zone = 0;
  let zoneEnd = 0;
  if (zoneForm === 1) {
    zone = stored[cursor]! | (stored[cursor + 1]! << 8);
    cursor += 2;
  } else if (zoneForm > 1) {
    zone = readWritten(stored);
    zoneEnd = cursor;
  }
  const legacyForm = formOf(LEGACY_ID);
  const legacy = legacyForm === 0 ? 0 : readWritten(stored);
  const legacyEnd = cursor;
  const createdForm = formOf(CREATED_AT);
  const created = readInstant(stored, createdForm, 1000);
  const createdEnd = cursor;
  const startForm = formOf(START_AT);
  const start = readInstant(stored, startForm, MINUTE_MS);
  const startEnd = cursor;
  const endForm = formOf(END_AT);
  const ends =
    endForm === 0 ? start + readNumber(stored) * MINUTE_MS : readInstant(stored, endForm, MINUTE_MS);
  const endEnd = cursor;
  const minutes = readNumber(stored) - 1;
  const minutesAt = minutes < 0 ? readWritten(stored) : 0;
  const minutesEnd = cursor;
  const hasPolicy = stored[0] === WITH_POLICY;
  const isPolicyPacked = hasPolicy && ((forms >> POLICY_ID) & 1) === 0;
  const policy = isPolicyPacked || !hasPolicy ? cursor : readWritten(stored);
  if (isPolicyPacked) cursor += PACKED_BYTES;
  const policyEnd = cursor;
  const isWorkerPacked = forms >> WORKER_ID === 0;
  const worker = isWorkerPacked ? cursor : readWritten(stored);
  if (isWorkerPacked) cursor += PACKED_BYTES;
  const workerEnd = cursor;
  const statusForm = formOf(STATUS);
  const status = statusForm === NO_STATUS ? readWritten(stored) : 0;
  const statusEnd = cursor;
  const reasonForm = formOf(REASON);
  const reason = reasonForm === 0 ? 0 : readWritten(stored);
  const reasonEnd = cursor;

  let at = copy(BEFORE_ID, target, place);
  putId(id, target, at);
  at = copy(KEYS[0]!, target, at + id.length);
  at = createdForm > 1 ? copyPart(stored, created, createdEnd, target, at) : putInstant(created, target, at);
  at = copy(KEYS[1]!, target, at);
  at = endForm > 1 ? copyPart(stored, ends, endEnd, target, at) : putInstant(ends, target, at);
  at = copy(KEYS[2]!, target, at);
  at = putText(reasonForm, stored, reason, reasonEnd, target, at);
  at = copy(KEYS[3]!, target, at);
  at = minutes < 0 ? copyPart(stored, minutesAt, minutesEnd, target, at) : putWhole(minutes, target, at);
  at = copy(KEYS[4]!, target, at);
  at = startForm > 1 ? copyPart(stored, start, startEnd, target, at) : putInstant(start, target, at);
  at = copy(KEYS[5]!, target, at);
  at =
    statusForm === NO_STATUS
      ? copyPart(stored, status, statusEnd, target, at)
      : copy(STATUS_BYTES[statusForm]!, target, at);
  at = copy(KEYS[6]!, target, at);
  if (isPolicyPacked) at = putPackedId(POLICY_BYTES, stored, policy, target, at);
  else at = hasPolicy ? copyPart(stored, policy, policyEnd, target, at) : copy(policyOfRow, target, at);
  at = copy(KEYS[7]!, target, at);
  at =
    zoneForm === 0
      ? copy(NULL, target, at)
      : zoneForm === 1
        ? copy(ZONES[zone] ?? NULL, target, at)
        : copyPart(stored, zone, zoneEnd, target, at);
  at = copy(KEYS[8]!, target, at);
  at = isWorkerPacked
    ? putPackedId(WORKER_BYTES, stored, worker, target, at)
    : copyPart(stored, worker, workerEnd, target, at);
  at = copy(KEYS[9]!, target, at);
  at = putText(legacyForm, stored, legacy, legacyEnd, target, at);
  target[at++] = CLOSING;
  return at;
}

const CLOSING = 125;

function copy(bytes: Uint8Array, target: Uint8Array, place: number): number {
  for (let index = 0; index < bytes.length; index++) target[place + index] = bytes[index]!;
  return place + bytes.length;
}

function copyPart(bytes: Uint8Array, from: number, to: number, target: Uint8Array, place: number): number {
  let at = place;
  for (let index = from; index < to; index++) target[at++] = bytes[index]!;
  return at;
}

function putText(
  form: number,
  stored: Uint8Array,
  from: number,
  to: number,
  target: Uint8Array,
  place: number,
): number {
  if (form === 0) return copy(NULL, target, place);
  if (form !== 1) return copyPart(stored, from, to, target, place);
  target[place] = QUOTE;
  const at = copyPart(stored, from, to, target, place + 1);
  target[at] = QUOTE;
  return at + 1;
}

function putPackedId(
  prefix: Uint8Array,
  stored: Uint8Array,
  from: number,
  target: Uint8Array,
  place: number,
): number {
  const at = copy(prefix, target, place);
  putPacked(stored, from, target, at);
  target[at + PACKED_CHARACTERS] = QUOTE;
  return at + PACKED_CHARACTERS + 1;
}

/** The characters of a packed id, without its prefix. */
function putPacked(stored: Uint8Array, from: number, target: Uint8Array, place: number): void {
  let at = place;
  let bits = 0;
  let count = 0;
  let next = from;
  for (let left = PACKED_CHARACTERS; left > 0; left--) {
    if (count < 5) {
      bits = ((bits << 8) | stored[next++]!) & 0xfff;
      count += 8;
    }
    count -= 5;
    target[at++] = DIGITS[(bits >> count) & 31]!;
  }
}

function putWhole(value: number, target: Uint8Array, place: number): number {
  let length = 1;
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) length++;
  let rest = value;
  for (let at = place + length - 1; at >= place; at--) {
    target[at] = ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return place + length;
}

const ZERO = 48;

/** How many days' dates are cached, each at the place of its lowest bits. */
const CACHED_DAYS = 4096;
const DATE_BYTES = 10;
/** Of the year 9999: only a damaged object has a later one. */
const LAST_DAY = 2_932_896;
const cachedDays = new Int32Array(CACHED_DAYS).fill(-1); // no instant is before 1970
const cachedDates = new Uint8Array(CACHED_DAYS * DATE_BYTES);

function cacheDay(slot: number, day: number): void {
  cachedDays[slot] = day;
  cachedDates.set(bytesOf(formatDay(Math.min(day, LAST_DAY))), slot * DATE_BYTES);
}

function putId(id: string, target: Uint8Array, place: number): void {
  for (let index = 0; index < id.length; index++) target[place + index] = id.charCodeAt(index); // ids are ASCII
}

function putInstant(instantMs: number, target: Uint8Array, place: number): number {
  target.set(INSTANT_BYTES, place);
  putDigits(instantMs, target, place + 1);
  return place + INSTANT_BYTES.length;
}

/** The digits of an instant, where the marks between them are already, and zeros. */
function putDigits(instantMs: number, target: Uint8Array, place: number): void {
  const minute = Math.floor(instantMs / MINUTE_MS);
  putMinute(minute, target, place);
  const rest = instantMs - minute * MINUTE_MS;
  if (rest === 0) return;
  const seconds = Math.floor(rest / 1000);
  putPair(seconds, target, place + SECONDS_PLACE);
  const milliseconds = rest - seconds * 1000;
  target[place + 20] = ZERO + Math.floor(milliseconds / 100);
  putPair(milliseconds % 100, target, place + 21);
}

/** Where the seconds are in an instant's digits. */
const SECONDS_PLACE = 17;

/** The digits of a minute since 1970, which are all of most instants. */
function putMinute(minute: number, target: Uint8Array, place: number): void {
  const day = Math.floor(minute / 1440);
  const slot = day & (CACHED_DAYS - 1);
  if (cachedDays[slot] !== day) cacheDay(slot, day);
  const date = slot * DATE_BYTES;
  for (let index = 0; index < DATE_BYTES; index++) target[place + index] = cachedDates[date + index]!;
  const ofDay = minute - day * 1440;
  const hours = Math.floor(ofDay / 60);
  putPair(hours, target, place + 11);
  putPair(ofDay - hours * 60, target, place + 14);
}

/** Two digits. */
function putPair(value: number, target: Uint8Array, place: number): void {
  const tens = Math.floor(value / 10);
  target[place] = ZERO + tens;
  target[place + 1] = ZERO + (value - tens * 10);
}

const decoder = new TextDecoder();

/** A value that a column is left to, as it is written: the legacy id, or else the time zone. */
export function requestText(stored: Uint8Array, isLegacyId: boolean): string {
  const forms = stored[1]! | (stored[2]! << 8);
  const zoneForm = (forms >> TIME_ZONE) & 3;
  cursor = HEAD_BYTES;
  let zone = "null";
  if (zoneForm === 1) {
    zone = `"${ZONE_NAMES[stored[cursor]! | (stored[cursor + 1]! << 8)]}"`;
    cursor += 2;
  } else if (zoneForm > 1) zone = readText(stored);
  if (!isLegacyId) return zone;
  const legacyForm = (forms >> LEGACY_ID) & 3;
  if (legacyForm === 0) return "null";
  const text = readText(stored);
  return legacyForm === 1 ? `"${text}"` : text;
}

function readText(stored: Uint8Array): string {
  const from = readWritten(stored);
  return decoder.decode(stored.subarray(from, cursor));
}
