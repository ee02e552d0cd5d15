// What a backup holds is pinned: what 1.0 wrote is read by every later version.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { COMPANY_COLUMNS } from "../../../src/resources/company.ts";
import { formatNumber } from "../../../src/store/engine.ts";
import { RECORD_TABLES } from "../../../src/store/history.ts";
import { KINDS, TABLES } from "../../../src/store/tables.ts";
import { rowOf, rowText } from "../../../src/store/transfer/row-texts.ts";
import { requestRow, workerRow } from "../../support/rows.ts";
import { makeFeed, makeKey } from "../../support/stores.ts";
import { backUp, NOW_MS, withStore } from "./store-folder.ts";

/** Where this fails, raise `FORMAT`, and go on reading what was written before. */
test("a row of a backup has these columns", () => {
  const columns = Object.fromEntries(KINDS.map((kind) => [kind, TABLES[kind].columns.toSorted().join(" ")]));
  expect(columns).toEqual({
    departments: "doc id legacyId name parentId",
    workplaces: "doc holidayCalendar id legacyId name type",
    holidays: "calendar calendarId day doc id legacyId minutes name",
    workers:
      "departmentId doc endDay id legacyId managerId startDay status terms timeZone type workEmailFolded workplaceId",
    policies: "absence doc id legacyId terms",
    assignments: "assignedDay doc endsDay id movesFrom policyId terms workerId",
    requests:
      "doc endAtMs firstDay id lastDay legacyId minutes policyId startAtMs status terms timeZone workerId",
    adjustments: "day expiresDay id legacyId minutes note policyId workerId",
    work_hours: "day minutes workerId",
    schedules: "calendar day terms workerId",
    openings: "accruedMinutes carriedMinutes day minutes policyId workerId",
    policy_changes: "day policyId terms",
    reported: "day minutes policyId workerId",
  });
  expect(COMPANY_COLUMNS.join(" ")).toBe(
    "id name createdAtMs timeZone colors dataAsOfMs changedAtMs history retention",
  );
  // What a row was has its columns, and the revisions between which it was so.
  const records = RECORD_TABLES.map(({ name, columns }) => [name, columns.length]);
  expect(records).toEqual([
    ...KINDS.map((kind) => [`${kind}_history`, TABLES[kind].columns.length + 3]),
    ["closes", 10],
  ]);
});

test("the text of a row has its columns by name, without those that are null, and gives the same row", () => {
  const hours = { workerId: "wrk_1", minutes: 0.5, day: 0 };
  expect(rowText("work_hours", hours)).toBe('{"day":0,"minutes":0.5,"workerId":"wrk_1"}');
  const worker = workerRow("wrk_1", { legacyId: "Ærø\n\u2028" });
  expect(Object.values(JSON.parse(rowText("workers", worker)))).not.toContain(null);
  expect(rowOf("workers", rowText("workers", worker))).toEqual(worker);
  const request = requestRow("tor_1", "wrk_1", "top_1");
  expect(rowOf("requests", rowText("requests", request))).toEqual(request);
});

test("a backup is a point, and pieces named by their digests", () =>
  withStore(async ({ db, backup }) => {
    const made = await backUp(db, backup);
    const database = new Database(backup, { readonly: true });
    const pragma = (name: string) => database.query(`pragma ${name}`).values()[0]![0];
    expect([pragma("application_id"), pragma("user_version")]).toEqual([0x526f6c42, 1]);
    const { seal, ...point } = JSON.parse(String(database.query("select json from points").values()[0]![0]));
    const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
    expect(seal).toBe(sha256(JSON.stringify(point)));
    expect(point).toEqual(made);
    expect(formatNumber(point.rollcallBackup)).toBe(1);
    expect(point).toMatchObject({ madeAtMs: NOW_MS, rows: { companies: 2, workers: 55 } });
    const pieces = new Map<string, string>();
    for (const [digest, compressed] of database.query("select * from pieces").values()) {
      const text = new TextDecoder().decode(Bun.zstdDecompressSync(compressed as Uint8Array));
      expect(sha256(text)).toBe(String(digest));
      pieces.set(String(digest), text);
    }
    database.close();
    expect(JSON.parse(pieces.get(point.secrets)!)).toEqual({
      keys: [makeKey("key_1", "acme"), makeKey("key_2", "zenith")].map((key) => ({
        ...key,
        scopes: ["workers:read"],
      })),
      feeds: [makeFeed("feed_1", "acme"), makeFeed("feed_2", "zenith", { lastUsedAtMs: 5 })],
    });
    const named = [point.secrets];
    for (const { list, imports, rows } of point.companies) {
      const states = [expect.objectContaining({ revision: 1, known_at_ms: expect.any(Number) })];
      expect(JSON.parse(pieces.get(imports)!)).toEqual({ imports: [], states });
      named.push(list, imports);
      let workers = 0;
      for (const line of pieces.get(list)!.trimEnd().split("\n")) {
        const [kind, digest] = line.split(" ");
        named.push(digest!);
        if (kind === "workers") workers += pieces.get(digest!)!.trimEnd().split("\n").length;
      }
      expect(workers).toBe(rows.workers);
    }
    expect([...pieces.keys()].toSorted()).toEqual([...new Set(named)].toSorted());
  }));
