// Adjustments and worked hours: what only balances are computed from. They are in files alone.
import * as cell from "./cells.ts";
import { lenientShape } from "./ids.ts";
import { column, type ImportRow, type Report, type Resource, type Row } from "./resource.ts";

// They are not on the wire, so the prefix is none of ids.ts: ids of other kinds may begin with it.
const ID_PREFIX = "adj_";
const SHAPE = lenientShape(ID_PREFIX);

/** Minutes of a worker's balance on a day, above or below 0. */
const MINUTES_ON_DAY = {
  workerId: { cell: cell.reference, column: column.text("workerId") },
  policyId: { cell: cell.reference, column: column.text("policyId") },
  date: { cell: cell.day, column: column.day("day") },
  minutes: { cell: cell.amount({ isSigned: true }), column: column.minutes("minutes") },
} as const;

/** Minutes that are added to a balance, or taken off, on one day. */
export const adjustments = {
  kind: "adjustments",
  key: ["id"],
  idPrefix: ID_PREFIX,
  fields: {
    id: {
      cell: cell.shapedId(
        (text) => SHAPE.test(text),
        "an adjustment id: 1 to 64 of A–Z a–z 0–9 _ - (after adj_, or alone), not beginning with another kind's prefix",
      ),
      column: column.text("id"),
    },
    legacyId: { cell: cell.legacyId, column: column.text("legacyId") },
    ...MINUTES_ON_DAY,
    expiresOn: { cell: cell.optionalDay, column: column.day("expiresDay") },
    note: { cell: cell.optionalProse, column: column.text("note") },
  },
  derived: {},
  belongsTo: { workerId: "workers", policyId: "policies" },
  balanceColumns: ["workerId", "policyId", "day", "minutes", "expiresDay"],
  indexes: [
    { name: "adjustments_legacy_id", columns: ["legacyId"], covers: [], rows: "few" },
    {
      name: "adjustments_worker",
      columns: ["workerId"],
      covers: ["policyId", "day", "minutes", "expiresDay"],
      rows: "few",
    },
    { name: "adjustments_policy", columns: ["policyId"], covers: [], rows: "few" },
  ],
} as const satisfies Resource;

export type AdjustmentRow = Row<typeof adjustments>;

/** What is wrong with fields that are valid one by one. */
export function checkAdjustment(
  { date, minutes, expiresOn }: ImportRow<typeof adjustments.fields>,
  report: Report<ImportRow<typeof adjustments.fields>>,
): void {
  if (expiresOn === null) return;
  if (expiresOn <= date) report("expiresOn", "is not after date", "date");
  if (minutes <= 0) report("expiresOn", "has no meaning where nothing is added: leave it empty", "minutes");
}

/** Minutes that a worker worked on a day, for policies that grant by the hour. */
export const workHours = {
  kind: "work_hours",
  key: ["workerId", "day"],
  idPrefix: null,
  fields: {
    workerId: { cell: cell.reference, column: column.text("workerId") },
    date: { cell: cell.day, column: column.day("day") },
    minutes: { cell: cell.amount(), column: column.minutes("minutes") },
  },
  derived: {},
  belongsTo: { workerId: "workers" },
  balanceColumns: ["workerId", "day", "minutes"],
  indexes: [],
} as const satisfies Resource;

export type WorkHoursRow = Row<typeof workHours>;

/** What another system says was left of a policy at the end of a day: it is compared, and counts for nothing. */
export const reported = {
  kind: "reported",
  key: ["workerId", "policyId", "day"],
  idPrefix: null,
  fields: {
    ...MINUTES_ON_DAY,
  },
  derived: {},
  belongsTo: { workerId: "workers", policyId: "policies" },
  balanceColumns: [],
  indexes: [{ name: "reported_policy", columns: ["policyId"], covers: [], rows: "few" }],
} as const satisfies Resource;

/** What was left of a policy at the end of a day, in the system before (docs/balances.md, Opening balances). */
export const openings = {
  kind: "openings",
  key: ["workerId", "policyId"],
  idPrefix: null,
  fields: {
    ...MINUTES_ON_DAY,
    carriedMinutes: { cell: cell.optionalAmount(), column: column.minutes("carriedMinutes") },
    accruedMinutes: { cell: cell.optionalAmount(), column: column.minutes("accruedMinutes") },
  },
  derived: {},
  belongsTo: { workerId: "workers", policyId: "policies" },
  balanceColumns: ["workerId", "policyId", "day", "minutes", "carriedMinutes", "accruedMinutes"],
  indexes: [{ name: "openings_policy", columns: ["policyId"], covers: [], rows: "few" }],
} as const satisfies Resource;

/** What is wrong with fields that are valid one by one. */
export function checkOpening(
  { minutes, carriedMinutes }: ImportRow<typeof openings.fields>,
  report: Report<ImportRow<typeof openings.fields>>,
): void {
  if (carriedMinutes !== null && carriedMinutes > Math.max(0, minutes))
    report("carriedMinutes", "is more than there was: it is a part of minutes", "minutes");
}
