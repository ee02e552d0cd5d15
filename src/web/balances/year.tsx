// A year of sums: the amount owed at the end of each month, by department, and the time that expires in each month.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useReducer } from "react";
import type { Movement } from "../../client/index.ts";
import { addMonths, type Day, dateOf, dayOfText, firstOfMonth, formatDay } from "../../time/day.ts";
import { monthOf, storedDay } from "../data/days.ts";
import { groupLabel } from "../data/directory.ts";
import { compareText, monthName, number, shortMonth } from "../data/format.ts";
import { movementsOf, useLosses, useServer, useToday } from "../data/queries.ts";
import { useSettings } from "../data/settings.ts";
import { figureOf, sheetFigure, type Unit } from "../data/unit.ts";
import { Export } from "../parts/export.tsx";
import { DayField } from "../parts/search.tsx";
import { Empty, failureOf, failureOrLoading, isLoaded, useTitle } from "../parts/states.tsx";
import { type Column, DataTable, type Line, sheetOf } from "../parts/table.tsx";
import { expiryOf, isCap } from "../people/losses.ts";
import { rich } from "../texts/rich.tsx";
import { t } from "../texts/texts.ts";
import { haveLeft, leftLast } from "./balance-rows.ts";

const MONTHS = 12;

interface Row {
  readonly name: string;
  /** Minutes of each month; undefined until they are loaded. */
  readonly minutes: readonly (number | undefined)[];
}

interface Props {
  readonly unit: Unit;
  readonly switches: ReactNode;
}

export function YearOfBalances({ unit, switches }: Props) {
  useTitle(t("view.balances"));
  const server = useServer();
  const today = useToday();
  const { search, change } = useSettings();
  const first = firstOfMonth(storedDay(search.get("on")) ?? today);
  const months = Array.from({ length: MONTHS }, (_, at) => addMonths(first, at));
  const queries = useQueryClient();
  const ofMonth = (month: Day) => movementsOf(server, month, monthOf(month).end, ["department"]);
  const [, showMonth] = useReducer((count: number) => count + 1, 0);
  // One month after the other, and each is shown when it comes: for 20,000 people, the server needs seconds a month.
  const movements = useQuery({
    queryKey: ["movements", "of a year", first],
    queryFn: async ({ signal }) => {
      const all: Movement[][] = [];
      for (const month of months) {
        signal.throwIfAborted();
        all.push(await queries.fetchQuery(ofMonth(month)));
        showMonth();
      }
      return all;
    },
  });
  const known = movements.data ?? months.map((month) => queries.getQueryData(ofMonth(month).queryKey));
  const losses = useLosses(first);
  const isComplete = [movements, losses].every(isLoaded);

  const owed = rowsOf(known);
  const lost: Row = {
    name: t("figure.lost"),
    minutes: months.map((month) =>
      (losses.data ?? [])
        .filter((loss) => !isCap(loss) && firstOfMonth(dayOfText(expiryOf(loss.date))) === month)
        .reduce((sum, { minutes }) => sum + minutes, 0),
    ),
  };
  const december = months.findIndex((month) => dateOf(month).month === 12);
  const yearEnd = december === MONTHS - 1 ? MONTHS / 2 - 1 : december; // June if December is the last month anyway
  const columns: readonly Column<Row>[] = [
    { key: "name", name: t(`figure.in.${unit}`, { name: t("year.owed") }), value: ({ name }) => name },
    ...months.map((month, at): Column<Row> => {
      return {
        key: formatDay(month).slice(0, 7),
        name: shortMonth(month),
        isFigure: true,
        isWide: at !== yearEnd && at !== MONTHS - 1, // phones show only these two months
        value: ({ minutes }) => sheetFigure(minutes[at] ?? 0, unit),
        cell: ({ minutes }) => (minutes[at] === undefined ? "…" : number(figureOf(minutes[at], unit))),
      };
    }),
  ];
  const total: Row = {
    name: t("total"),
    minutes: known.map((rows, at) => rows && owed.reduce((sum, row) => sum + row.minutes[at]!, 0)),
  };
  const lines: Line<Row>[] = [
    { key: "total", row: total, isGroup: true },
    ...owed.map((row) => ({ key: `of ${row.name}`, row })),
    { key: "lost", row: lost, isGroup: true },
  ];
  return (
    <div className="away">
      <div className="head">
        <h1>{rich("year.from", { month: monthName(first) })}</h1>
        <div className="head-end">
          <DayField
            label={t("requests.from")}
            day={first}
            onChange={(day) => change({ on: formatDay(day) })}
          />
          {switches}
          <Export
            isComplete={isComplete}
            sheet={() => sheetOf(`${t("figure.owed")} ${formatDay(first)}`, columns, lines)}
            path={`/v1/time_off/movements?from=${formatDay(first)}&to=${formatDay(monthOf(first).end - 1)}&groupBy=department`}
          />
        </div>
      </div>
      {failureOf(movements) ??
        failureOrLoading(t("loading.balances"), losses, ...(owed.length === 0 ? [movements] : [])) ??
        (owed.length === 0 ? (
          <Empty>{t("balances.none")}</Empty>
        ) : (
          <>
            <Bars months={months} owed={total.minutes} lost={lost.minutes} />
            <DataTable name={t("balances.year")} columns={columns} lines={lines} />
            <p className="soft small">
              {t("figure.owed.meaning")} {t("year.explained")} {t("figures.rounded")}
            </p>
          </>
        ))}
    </div>
  );
}

/** A row for each department that is owed something in any month. People who have left are a row of their own. */
function rowsOf(months: readonly (readonly Movement[] | undefined)[]): readonly Row[] {
  const nameOf = ({ department, hasLeft }: Movement) =>
    hasLeft ? haveLeft() : groupLabel(department, "department");
  const paidOut = months.map((rows) => rows?.filter(({ isPaidOut }) => isPaidOut));
  const names = new Set(paidOut.flatMap((rows = []) => rows.map(nameOf)));
  const inOrder = [...names].sort((a, b) => leftLast(a, b) || compareText(a, b));
  return inOrder.flatMap((name): Row[] => {
    const minutes = paidOut.map((rows) =>
      rows?.filter((row) => nameOf(row) === name).reduce((sum, { earned }) => sum + earned, 0),
    );
    return minutes.some(Boolean) ? [{ name, minutes }] : [];
  });
}

interface BarsProps {
  readonly months: readonly Day[];
  readonly owed: Row["minutes"];
  readonly lost: Row["minutes"];
}

/** The chart of the same: the amount owed at the end of each month, and the time that expires in it. */
function Bars({ months, owed, lost }: BarsProps) {
  const most = Math.max(1, ...[...owed, ...lost].map((minutes = 0) => minutes));
  return (
    <div aria-hidden="true">
      <div className="bars">
        {months.map((month, at) => (
          <div key={month} className="bars-month">
            <span className="bars-owed" style={{ height: `${(Math.max(0, owed[at] ?? 0) / most) * 100}%` }} />
            <span className="bars-lost" style={{ height: `${(lost[at]! / most) * 100}%` }} />
            <span className="small soft">{shortMonth(month)}</span>
          </div>
        ))}
      </div>
      <ul className="legend small">
        <li>
          <span className="swatch bars-owed" />
          {t("figure.owed")}
        </li>
        <li>
          <span className="swatch bars-lost" />
          {t("figure.lost")}
        </li>
      </ul>
    </div>
  );
}
