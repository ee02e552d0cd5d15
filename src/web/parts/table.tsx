// A table for thousands of rows, of which only visible ones are in the document; and a sheet with the same cells.
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { Fragment, type ReactNode, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { compareText, plainText } from "../data/format.ts";
import { useSettings } from "../data/settings.ts";
import { rich } from "../texts/rich.tsx";
import type { Cell, Sheet } from "./export.tsx";
import { useWhole } from "./printing.ts";

const ROW_PX = 48;

export interface Column<T> {
  readonly key: string;
  readonly name: string;
  readonly isFigure?: boolean;
  /** Hidden on phones. In tables with figures, phones show it below its row, unless it is 0 or empty. */
  readonly isWide?: boolean;
  /** The value for sorting and for sheets. */
  readonly value: (row: T) => Cell;
  /** The shown content, if it differs from the value. */
  readonly cell?: (row: T) => ReactNode;
}

/** A column of days, `YYYY-MM-DD` in sheets. */
export const dayColumn = <T,>(key: string, name: string, value: (row: T) => string | null): Column<T> => ({
  ...{ key, name, isWide: true, value },
  cell: (row) => {
    const day = value(row);
    return day && <span className="nowrap">{plainText(day)}</span>;
  },
});

export interface Line<T> {
  readonly key: string;
  readonly row: T;
  /** Whether it is the sum of the lines below it. */
  readonly isGroup?: boolean;
  /** Details below the row, over its whole width. */
  readonly detail?: ReactNode;
}

/** A column's key, as in the address: `lost`, or `-lost` for descending. */
export type Sorting = string;

/** The rows in the order of a column; rows without a value come last. */
export function sorted<T>(rows: readonly T[], columns: readonly Column<T>[], sorting: Sorting): T[] {
  const column = columns.find(({ key }) => key === sorting.replace(/^-/, ""));
  if (column === undefined) return [...rows];
  const sign = sorting.startsWith("-") ? -1 : 1;
  return rows.toSorted((left, right) => {
    const [a, b] = [column.value(left), column.value(right)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (typeof a === "number" ? a - Number(b) : compareText(String(a), String(b)));
  });
}

/** The sheet with the same lines in the same order. Sums of lines below them are left out: a column's sum would count those twice. */
export function sheetOf<T>(name: string, columns: readonly Column<T>[], lines: readonly Line<T>[]): Sheet {
  const isSum = (at: number) => lines[at]!.isGroup && lines[at + 1] !== undefined && !lines[at + 1]!.isGroup;
  return {
    name,
    header: columns.map((column) => column.name),
    rows: lines.filter((_, at) => !isSum(at)).map(({ row }) => columns.map(({ value }) => value(row))),
  };
}

interface OpenerProps {
  readonly name: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A button with a name or a figure, which opens the lines or details below its row. */
export function Opener({ name, isOpen, onToggle }: OpenerProps) {
  return (
    <button type="button" className="quiet" aria-expanded={isOpen} onClick={onToggle}>
      <bdi>{name}</bdi>
    </button>
  );
}

interface Props<T> {
  /** What a screen reader calls the table. */
  readonly name: string;
  readonly columns: readonly Column<T>[];
  readonly lines: readonly Line<T>[];
  /** Called with the new `sort` of the address; without it, the heads are not buttons. */
  readonly sorting?: Sorting;
}

export function DataTable<T>({ name, columns, lines, sorting }: Props<T>) {
  const { change } = useSettings();
  const table = useRef<HTMLTableElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(table.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: lines.length,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => lines[index]!.key,
  });
  const isNarrow = useSyncExternalStore(onNarrow, () => narrow().matches);
  const items = virtual.getVirtualItems();
  const whole = useWhole(lines.length);
  const shown = whole ?? items.map(({ index }) => index);
  const [start, end] = [items[0]?.start ?? top, items.at(-1)?.end ?? top];
  const [before, after] = whole === null ? [start - top, virtual.getTotalSize() + top - end] : [0, 0];
  const hidden = columns.filter(({ isWide }) => isNarrow && isWide);
  const width = columns.length - hidden.length;
  const hasFigures = columns.some(({ isFigure, isWide }) => isFigure && !isWide);
  return (
    <table
      ref={table}
      className={`data-table stacked ${hasFigures ? "sums" : ""}`}
      aria-label={name}
      aria-rowcount={lines.length + 1}
    >
      <thead>
        <tr>
          {columns.map((column) => (
            <Head key={column.key} column={column} sorting={sorting} onSort={(sort) => change({ sort })} />
          ))}
        </tr>
      </thead>
      <tbody>
        {before > 0 && <Spacer height={before} />}
        {shown.map((index) => {
          const { key, row, isGroup = false, detail } = lines[index]!;
          const others = hidden.filter(({ value }) => hasFigures && value(row)); // neither 0 nor null
          return (
            <Fragment key={key}>
              <tr
                ref={virtual.measureElement}
                data-index={index}
                className={isGroup ? "total" : undefined}
                aria-rowindex={index + 2}
              >
                {columns.map(({ key: column, value, cell, ...how }, at) => {
                  const content = cell === undefined ? value(row) : cell(row);
                  // A row header: screen readers say it with each figure of the row.
                  return at === 0 ? (
                    <th key={column} scope="row" className={classOf(how, at)}>
                      {content}
                    </th>
                  ) : (
                    <td key={column} className={classOf(how, at)}>
                      {content}
                    </td>
                  );
                })}
              </tr>
              {others.length > 0 && (
                <tr className="detail rest">
                  <td colSpan={width}>
                    {others.map(({ key: column, name: field, value, cell }) => (
                      <span key={column}>
                        {rich("fact", { name: field, value: cell === undefined ? value(row) : cell(row) })}
                      </span>
                    ))}
                  </td>
                </tr>
              )}
              {detail !== undefined && (
                <tr className="detail">
                  <td colSpan={width}>{detail}</td>
                </tr>
              )}
            </Fragment>
          );
        })}
        {after > 0 && <Spacer height={after} />}
      </tbody>
    </table>
  );
}

/** Windows without wide columns, as in style/people.css. A cell may not span hidden columns, or it would take their share of the width. */
const narrow = () => window.matchMedia("screen and (max-width: 899px)");

function onNarrow(listener: () => void): () => void {
  const query = narrow();
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

interface How {
  readonly isFigure?: boolean | undefined;
  readonly isWide?: boolean | undefined;
}

const classOf = ({ isFigure, isWide }: How, at: number) =>
  [isFigure ? "figure" : at > 0 && "soft clip", isWide && "wide-only"].filter(Boolean).join(" ");

interface HeadProps<T> {
  readonly column: Column<T>;
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting) => void;
}

/** The first click sorts figures from the largest, and words from A. */
function Head<T>({ column: { key, name, isFigure, isWide }, sorting, onSort }: HeadProps<T>) {
  const [up, down] = [sorting === key, sorting === `-${key}`];
  return (
    <th
      scope="col"
      className={classOf({ isFigure, isWide }, 0)}
      aria-sort={up ? "ascending" : down ? "descending" : undefined}
    >
      {sorting === undefined ? (
        name
      ) : (
        <button
          type="button"
          className="sort"
          onClick={() => onSort((isFigure && !down) || up ? `-${key}` : key)}
        >
          {name}
          <span aria-hidden="true">{up ? " ↑" : down ? " ↓" : ""}</span>
        </button>
      )}
    </th>
  );
}

/** An empty row with the height of the rows that are not in the document. */
function Spacer({ height }: { readonly height: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row takes no focus, and an empty row has nothing to read
    <tr style={{ height }} aria-hidden="true">
      <td />
    </tr>
  );
}
