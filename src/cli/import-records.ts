// Records of imports, as commands show them.
import type { FailureRecord, Gate, ImportRecord, ImportReport, KindGate } from "../import/report.ts";
import { instantText, table } from "./output.ts";

export function shownImport({ endedAtMs, pulledAtMs, changedAtMs, ...record }: ImportRecord) {
  const filesChangedAt = Object.entries(changedAtMs).map(([kind, timeMs]) => [kind, instantText(timeMs)]);
  return {
    endedAt: instantText(endedAtMs),
    pulledAt: instantText(pulledAtMs),
    ...record,
    filesChangedAt: Object.fromEntries(filesChangedAt),
  };
}

export function shownFailure({ endedAtMs, ...failure }: FailureRecord) {
  return { endedAt: instantText(endedAtMs), ...failure };
}

/** Tables that compare what an import would change with what the last import changed. */
export function gateTables({ gate, lastGate }: ImportReport): string[] {
  const kinds = Object.entries(gate.kinds).map(([kind, gateOfKind]) => {
    const last = lastGate?.kinds[kind as keyof Gate["kinds"]]; // the keys are kinds
    const days = gateOfKind.from === null ? null : `${gateOfKind.from} to ${gateOfKind.to}`;
    return [
      kind,
      gateOfKind.stored,
      ...SHARES.map((outcome) => shareText(gateOfKind, outcome)),
      days,
      last === undefined ? null : SHARES.map((outcome) => `${last[outcome]} ${outcome}`).join(", "),
    ];
  });
  const medians = gate.medians.map(({ kind, policyId, policy, rows, minutes }) => {
    const last = lastGate?.medians.find((median) => median.kind === kind && median.policyId === policyId);
    return [policy, kind, rows, minutes, last?.minutes ?? null];
  });
  return [
    "",
    table(["kind", "stored", ...SHARES, "days", "last import"], kinds),
    ...(medians.length === 0
      ? []
      : ["", table(["policy", "amounts", "rows", "median minutes", "last import"], medians)]),
    "",
  ];
}

const SHARES = ["added", "changed", "removed"] as const;

/** A count and its share of the stored rows: `12 (5 %)`. */
function shareText(gate: KindGate, outcome: (typeof SHARES)[number]): string {
  const rows = gate[outcome];
  if (rows === 0 || gate.stored === 0) return String(rows);
  const share = rows / gate.stored;
  return `${rows} (${share < 0.01 ? "< 1 %" : `${Math.round(share * 100)} %`})`;
}
