// Property: what the embedded store makes of requests' objects gives the same bytes back, whatever they hold.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Rows } from "../../../src/resources/kinds.ts";
import { rowOf } from "../../../src/resources/registry.ts";
import { REQUEST_STATUSES, requests } from "../../../src/resources/requests.ts";
import { IS_MINTED } from "../../../src/resources/resource.ts";
import {
  endsOfValues,
  expanded,
  expandRows,
  placeOf,
  storedDoc,
  writtenText,
} from "../../../src/store/sqlite/layout/documents.ts";
import type { Numbers } from "../../../src/store/sqlite/layout/numbers.ts";
import {
  newRequestBytes,
  REQUEST_BYTES,
  type RequestValues,
  WITH_POLICY,
} from "../../../src/store/sqlite/layout/request-bytes.ts";
import { mintedRequestId, storedValues } from "../../../src/store/sqlite/layout/rows.ts";
import { ZONE_NAMES } from "../../../src/store/sqlite/layout/zone-names.ts";

const KEYS = Object.entries(requests.fields).flatMap(([name, field]) => ("wire" in field ? [name] : []));

const instant = fc.oneof(
  fc
    .date({ min: new Date("0000-01-01"), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.integer({ min: 0, max: 60_000_000 }).map((minutes) => new Date(minutes * 60_000).toISOString()),
  fc.constantFrom("2024-02-30T00:00:00.000Z", "2024-02-29T23:59:59.999Z", "2026-01-01T24:00:00.000Z"),
  fc.constantFrom("2106-02-07T06:28:16.000Z", "2026-13-01T00:00:00.000Z", "2026-01-01T00:00:00.000+", ""),
  fc.constantFrom("1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"),
);
const opaque = fc.string({
  unit: fc.constantFrom(..."0123456789abcdefghjkmnpqrstvwxyz"),
  minLength: 20,
  maxLength: 20,
});
const id = (prefix: string) =>
  fc.oneof(
    opaque.map((text) => prefix + text),
    fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/).map((text) => prefix + text),
    fc.string(),
  );
const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }), fc.string());
const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values);
const minutes = fc.oneof(fc.nat(), fc.double(), fc.maxSafeInteger(), fc.constantFrom(0, -0, 0.5, 1e15, 1e21));

/** ASCII, as every id is. */
const ID = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);

const likely: Record<string, fc.Arbitrary<unknown>> = {
  id: ID,
  createdAt: instant,
  endAt: instant,
  reason: nullable(text),
  requestedMinutes: minutes,
  startAt: instant,
  status: fc.constantFrom("pending", "approved", "denied", "gone"),
  timeOffPolicyId: id("top_"),
  timeZone: nullable(fc.oneof(fc.constantFrom(...ZONE_NAMES), text)),
  workerId: id("wrk_"),
  legacyId: nullable(text),
};

/** `policyId`: of the row; null for an object that is to have its own. */
function expectSame(rowId: string, doc: string, policyId: string | null = null) {
  const stored = storedDoc("requests", doc, endsOfValues("requests", rowId, doc), policyId) as Uint8Array; // of requests it is bytes
  expect(expanded("requests", rowId, stored, policyId)).toBe(doc);
  return stored;
}

test("objects of the wire come back from bytes, alone and among others", () => {
  expect(Object.keys(likely)).toEqual(KEYS);
  const object = fc.record(likely).map((one) => Object.fromEntries(KEYS.map((key) => [key, one[key]])));
  fc.assert(
    fc.property(fc.array(object, { minLength: 1, maxLength: 8 }), (objects) => {
      const rows = objects.map((one) => {
        const rowId = String(one.id);
        const doc = Buffer.from(JSON.stringify(one)).toString(); // as UTF-8 can have it
        const policyId = String(one.timeOffPolicyId);
        const stored = expectSame(rowId, doc, policyId);
        expect(stored[0]).toBe(REQUEST_BYTES);
        const withPolicy = expectSame(rowId, doc);
        expect(withPolicy[0]).toBe(WITH_POLICY);
        expect(expectSame(rowId, doc, `${policyId}x`)).toEqual(withPolicy);
        for (const field of ["timeZone", "legacyId"] as const) {
          expect(writtenText(stored, placeOf("requests", field))).toBe(JSON.stringify(one[field]));
          expect(writtenText(withPolicy, placeOf("requests", field))).toBe(JSON.stringify(one[field]));
        }
        return { stored, withPolicy, rowId, policyId, doc };
      });
      const page = expandRows(
        "requests",
        rows.map(({ stored, withPolicy, rowId }, at) => [at % 3 === 0 ? withPolicy : stored, rowId, at]),
        (number) => Buffer.from(JSON.stringify(rows[number]!.policyId)),
      );
      expect(page.map(([doc]) => Buffer.from(doc).toString())).toEqual(rows.map(({ doc }) => doc));
    }),
    { numRuns: 500 },
  );
});

test("any other text comes back, too", () => {
  const token = fc.oneof(
    fc.json(),
    fc.string(),
    fc.constantFrom("null", '"', '""', '"a', 'a"', "0", "00", "1e3", "-0"),
  );
  const keyed = fc
    .tuple(ID, fc.array(token, { minLength: KEYS.length - 1, maxLength: KEYS.length - 1 }))
    .map(([rowId, tokens]) => {
      const rest = KEYS.slice(1).map((key, at) => `,"${key}":${tokens[at]}`);
      return [rowId, `{"id":"${rowId}"${rest.join("")}}`] as const;
    });
  const any = fc.tuple(ID, fc.oneof(fc.string({ unit: "binary" }), fc.json()));
  fc.assert(
    fc.property(fc.oneof(keyed, any), ([rowId, doc]) => {
      expectSame(rowId, Buffer.from(doc).toString());
      expectSame(rowId, Buffer.from(doc).toString(), "top_1");
    }),
    { numRuns: 1000 },
  );
});

test("objects as imports make them take few bytes", () => {
  const object = {
    id: "tor_0123456789abcdefghjk",
    createdAt: "2026-01-12T08:15:30.000Z",
    endAt: "2026-03-04T23:00:00.000Z",
    reason: null,
    requestedMinutes: 1440,
    startAt: "2026-03-01T23:00:00.000Z",
    status: "approved",
    timeOffPolicyId: "top_0123456789abcdefghjk",
    timeZone: "Europe/Berlin",
    workerId: "wrk_0123456789abcdefghjk",
    legacyId: "R01234-05",
  };
  expect(expectSame(object.id, JSON.stringify(object), object.timeOffPolicyId).length).toBe(40);
  expect(expectSame(object.id, JSON.stringify(object)).length).toBe(53);
});

test("a damaged object is read to its end", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(REQUEST_BYTES, WITH_POLICY),
      fc.uint8Array({ maxLength: 80 }),
      (form, bytes) => {
        const stored = Uint8Array.of(form, ...bytes);
        expect(expanded("requests", "tor_1", stored).length).toBeGreaterThan(0);
        writtenText(stored, placeOf("requests", "legacyId"));
      },
    ),
    { numRuns: 500 },
  );
});

test("names of zones keep their places, and there are all that this platform lists", () => {
  const names = new Set(ZONE_NAMES);
  expect(Intl.supportedValuesOf("timeZone").filter((name) => !names.has(name))).toEqual([]);
  expect(new Set(ZONE_NAMES).size).toBe(ZONE_NAMES.length);
  expect(Bun.hash(ZONE_NAMES.slice(0, 597).join(" ")).toString(36)).toBe("clo15ibkukwr");
});

test("a request whose object was never written has the same bytes, and is stored with the same values", () => {
  const unit = fc.constantFrom(1, 1000, 60_000, 86_400_000);
  const time = fc.tuple(fc.integer({ min: -36_500, max: 84_000 }), unit, fc.nat(1000));
  const storable = time.map(([day, ms, many]) => day * 86_400_000 + ms * many);
  const request = fc.record({
    id: ID,
    createdAt: storable,
    startAt: storable,
    endAt: storable,
    reason: nullable(text),
    requestedMinutes: fc.oneof(fc.nat(), fc.double({ min: 0.01, max: 1e9, noNaN: true })),
    status: fc.constantFrom(...REQUEST_STATUSES),
    timeOffPolicyId: id("top_"),
    timeZone: nullable(fc.oneof(fc.constantFrom(...ZONE_NAMES), text)),
    workerId: id("wrk_"),
    legacyId: nullable(text),
    dayMinutes: nullable(fc.constant([{ day: 20513, minutes: 90.5 }])),
  });
  const company = { id: "acme", number: 1 };
  const numbers = { of: (id: string) => id.length } as unknown as Numbers; // all that is asked of them
  const stored = (row: Rows["requests"]) =>
    storedValues("requests", company, row, { seq: null, digest: 5n }, numbers);
  fc.assert(
    fc.property(request, fc.constantFrom("said", "minted", "other"), (any, idIs) => {
      const id = idIs === "other" ? any.id : mintedRequestId(company.id, any.legacyId ?? "");
      const one = { ...any, id, [IS_MINTED]: Number(idIs === "said" && any.legacyId !== null) };
      const row = rowOf("requests", one, { firstDay: -1, lastDay: 2 });
      const { doc } = row;
      expect(stored(row)).toEqual(stored({ ...row, doc })); // which says nothing of what it was made of
      const values = KEYS.filter((name) => name !== "id").map((name) => one[name as keyof typeof one]);
      const bytes = newRequestBytes(values as unknown as RequestValues); // the wire's, in order
      expect(bytes).toEqual(expectSame(one.id, doc, one.timeOffPolicyId));
    }),
    { numRuns: 1000 },
  );
});
