// A table of thousands of balances, of which only the rows in sight are in the document.
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import { amount } from "../data/format.ts";
import type { Group } from "../data/people.ts";
import { type BalanceRow, COLUMNS, type ColumnKey, type Sorting, unitOf } from "./rows.ts";

const ROW_PX = 44;

type Line =
  | { readonly kind: "group"; readonly group: Group<BalanceRow> }
  | { readonly kind: "row"; readonly row: BalanceRow };

interface Props {
  readonly groups: readonly Group<BalanceRow>[];
  readonly sorting: Sorting;
  readonly onSort: (key: Sorting["key"]) => void;
}

export function BalanceTable({ groups, sorting, onSort }: Props) {
  const table = useRef<HTMLTableElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(table.current?.offsetTop ?? 0), []);
  const lines = useMemo(() => linesOf(groups), [groups]);
  const all = useMemo(() => groups.flatMap(({ items }) => items), [groups]);
  const virtual = useWindowVirtualizer({
    count: lines.length,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin: top,
  });
  const shown = virtual.getVirtualItems();
  const before = shown[0]?.index ?? 0;
  const after = lines.length - 1 - (shown.at(-1)?.index ?? -1);
  const head = (key: Sorting["key"], name: string, className: string) => (
    <th
      scope="col"
      className={className}
      aria-sort={sorting.key === key ? (sorting.isDescending ? "descending" : "ascending") : undefined}
    >
      <button type="button" className="sort" onClick={() => onSort(key)}>
        {name}
        <span aria-hidden="true">{sorting.key === key ? (sorting.isDescending ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
  return (
    <table ref={table} className="balance-table" aria-rowcount={lines.length + 2}>
      <thead>
        <tr>
          {head("person", "Person", "")}
          {head("department", "Department", "wide-only")}
          {head("policy", "Policy", "wide-only")}
          {COLUMNS.map(({ key, name, isWide }) => head(key, name, isWide ? "figure wide-only" : "figure"))}
        </tr>
        <tr className="total">
          <th scope="row" colSpan={1}>
            Total
          </th>
          <td className="wide-only" />
          <td className="wide-only" />
          <Sums rows={all} />
        </tr>
      </thead>
      <tbody>
        {before > 0 && <Spacer rows={before} />}
        {shown.map(({ index }) => {
          const line = lines[index]!;
          return line.kind === "group" ? (
            <tr key={`group ${line.group.name}`} className="total" aria-rowindex={index + 3}>
              <th scope="rowgroup" className="clip">
                <bdi>{line.group.name}</bdi> <span className="soft">{line.group.items.length}</span>
              </th>
              <td className="wide-only" />
              <td className="wide-only" />
              <Sums rows={line.group.items} />
            </tr>
          ) : (
            <Row key={line.row.balance.id} row={line.row} index={index + 3} />
          );
        })}
        {after > 0 && <Spacer rows={after} />}
      </tbody>
    </table>
  );
}

/** The height of rows that are not in the document. */
function Spacer({ rows }: { readonly rows: number }) {
  return (
    <tr style={{ height: rows * ROW_PX }}>
      <td />
    </tr>
  );
}

function linesOf(groups: readonly Group<BalanceRow>[]): Line[] {
  return groups.flatMap((group): Line[] => {
    const rows = group.items.map((row): Line => ({ kind: "row", row }));
    return group.name === null ? rows : [{ kind: "group", group }, ...rows];
  });
}

function Row({ row, index }: { readonly row: BalanceRow; readonly index: number }) {
  const { worker, policy } = row;
  return (
    <tr aria-rowindex={index}>
      <td>
        <Link href={`/people/${worker.id}`}>
          <bdi className="clip">{worker.displayName}</bdi>
        </Link>
        <span className="narrow-only soft small clip">{policy.name}</span>
      </td>
      <td className="wide-only soft clip">{worker.department}</td>
      <td className="wide-only clip">{policy.name}</td>
      {COLUMNS.map(({ key, isWide, of }) => (
        <td key={key} className={classOf(key, isWide, of(row.balance))}>
          {amount(of(row.balance), policy.unit)}
        </td>
      ))}
    </tr>
  );
}

function classOf(key: ColumnKey, isWide: boolean, minutes: number): string {
  return [
    "figure",
    isWide && "wide-only",
    minutes === 0 && "soft",
    key === "available" && minutes < 0 && "overdrawn",
  ]
    .filter(Boolean)
    .join(" ");
}

/** Sums in the unit of the rows; in hours if they have several. */
function Sums({ rows }: { readonly rows: readonly BalanceRow[] }) {
  const unit = unitOf(rows);
  return COLUMNS.map(({ key, isWide, of }) => (
    <td key={key} className={isWide ? "figure wide-only" : "figure"}>
      {amount(
        rows.reduce((sum, { balance }) => sum + of(balance), 0),
        unit,
      )}
    </td>
  ));
}
