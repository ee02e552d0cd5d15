// Adjustments, worked hours, reported balances and openings: only balances use them. They are in files, not in the API.
import * as cell from "./cells.ts";
import { lenientShape } from "./ids.ts";
import { column, type ImportRow, type Report, type Resource, type Row } from "./resource.ts";

// Not in the API, so this prefix is not in ids.ts, and ids of other kinds may begin with it.
const ID_PREFIX = "adj_";
const SHAPE = lenientShape(ID_PREFIX);

/** Fields of an amount in a worker's balance on a day, which may be negative. */
const MINUTES_ON_DAY = {
  workerId: { cell: cell.reference, column: column.text("workerId") },
  policyId: { cell: cell.reference, column: column.text("policyId") },
  date: { cell: cell.day, column: column.day("day") },
  minutes: { cell: cell.amount({ isSigned: true }), column: column.minutes("minutes") },
} as const;

/** Minutes added to or removed from a balance on a day. */
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

export function checkAdjustment(
  { date, minutes, expiresOn }: ImportRow<typeof adjustments.fields>,
  report: Report<ImportRow<typeof adjustments.fields>>,
): void {
  if (expiresOn === null) return;
  if (expiresOn <= date) report("expiresOn", "is not after date", "date");
  if (minutes <= 0) report("expiresOn", "has no meaning unless minutes are added: leave it empty", "minutes");
}

/** Minutes that a worker worked on a day, for policies that grant by the hour. */
export const workHours = {
  kind: "work_hours",
  key: ["workerId", "day"],
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

/** The balance that another system reports for the end of a day: only compared, never counted. */
export const reported = {
  kind: "reported",
  key: ["workerId", "policyId", "day"],
  fields: MINUTES_ON_DAY,
  derived: {},
  belongsTo: { workerId: "workers", policyId: "policies" },
  balanceColumns: [],
  indexes: [{ name: "reported_policy", columns: ["policyId"], covers: [], rows: "few" }],
} as const satisfies Resource;

/** The balance in the previous system at the end of a day (docs/balances.md, Opening balances). */
export const openings = {
  kind: "openings",
  key: ["workerId", "policyId"],
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

export function checkOpening(
  { minutes, carriedMinutes }: ImportRow<typeof openings.fields>,
  report: Report<ImportRow<typeof openings.fields>>,
): void {
  if (carriedMinutes !== null && carriedMinutes > Math.max(0, minutes))
    report("carriedMinutes", "is more than minutes, of which it is a part", "minutes");
}
