// How balances changed in a month, by department or person, and policy. Each row adds up, and links to the balances behind it.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { Link } from "wouter";
import type { Movement } from "../../client/index.ts";
import { formatDay } from "../../time/day.ts";
import { monthOf, storedDay } from "../data/days.ts";
import { directoryOf, filterPeople, groupingName, groupLabel, NO_WORKERS } from "../data/directory.ts";
import { enumerated, monthName, number } from "../data/format.ts";
import {
  hasBalance,
  movementsOf,
  useCloses,
  usePoliciesOf,
  useServer,
  useToday,
  useWorkers,
} from "../data/queries.ts";
import { usePeopleFilter, useSettings } from "../data/settings.ts";
import { changeOf, figureOf, sheetFigure, type Unit } from "../data/unit.ts";
import { Export } from "../parts/export.tsx";
import { PersonName } from "../parts/people-table.tsx";
import { DayField, PeopleSearch, Pick } from "../parts/search.tsx";
import { Empty, failureOrLoading, isLoaded, useTitle } from "../parts/states.tsx";
import { type Column, DataTable, sheetOf, sorted } from "../parts/table.tsx";
import { rich } from "../texts/rich.tsx";
import { t } from "../texts/texts.ts";
import { haveLeft } from "./balance-rows.ts";

const FIGURES = {
  opening: ["opening"],
  restated: ["restated"],
  granted: ["granted"],
  used: ["used"],
  forfeited: ["forfeited", "expired"],
  adjusted: ["adjusted", "opened", "moved", "revalued"],
  closing: ["closing"],
  owed: ["earned"],
} as const satisfies Readonly<Record<string, readonly (keyof Movement)[]>>;
type FigureKey = keyof typeof FIGURES;

interface Props {
  readonly unit: Unit;
  readonly switches: ReactNode;
}

export function MonthOfMovements({ unit, switches }: Props) {
  useTitle(t("movements"));
  const today = useToday();
  const { search, change } = useSettings();
  const { first, end } = monthOf(storedDay(search.get("on")) ?? today);
  const close = useCloses().data?.find(({ through }) => through === formatDay(first - 1));
  const server = useServer();
  const workers = useWorkers();
  const directory = useMemo(() => directoryOf(workers.data ?? NO_WORKERS), [workers.data]);
  const filter = usePeopleFilter(search);
  const people = new Set(filterPeople([...directory.byId.values()], filter).map(({ id }) => id));
  // A filter of people needs rows of people, not of departments.
  const isFiltered = Object.values(filter).some(({ length }) => length > 0);
  const isByPerson = isFiltered || search.get("by") === "none";
  const groupBy = isByPerson ? (["worker", "policy"] as const) : (["department", "policy"] as const);
  const movements = useQuery(movementsOf(server, first, end, groupBy, { after: close?.id }));
  const { queries, policyOf } = usePoliciesOf(close, movements.data);
  const sorting = search.get("sort") ?? (isByPerson ? "name" : "department");
  const keys = Object.keys(FIGURES) as FigureKey[]; // its keys are these
  const shown = keys.filter((key) => key !== "restated" || close !== undefined);
  const figures = shown.map(
    (key): Column<Movement> => ({
      key,
      name: t(`figure.in.${unit}`, { name: t(key === "owed" ? "figure.owed" : `movement.${key}`) }),
      isFigure: true,
      isWide: key !== "opening" && key !== "closing",
      value: (row) => sheetFigure(minutesOf(key, row, unit, sheetFigure), unit),
      cell: (row) => number(figureOf(minutesOf(key, row, unit, figureOf), unit)),
    }),
  );
  const nameOf = ({ id, workerId, department, hasLeft }: Movement) => {
    if (id === TOTAL) return t("total");
    if (workerId !== null) return directory.byId.get(workerId)?.displayName ?? workerId;
    return enumerated([groupLabel(department, "department"), hasLeft ? haveLeft() : []].flat());
  };
  const columns: readonly Column<Movement>[] = [
    {
      key: isByPerson ? "name" : "department",
      name: t(isByPerson ? "field.person" : "field.department"),
      value: (row) => nameOf(row),
      cell: (row) => {
        const worker = directory.byId.get(row.workerId ?? "");
        if (row.id === TOTAL) return nameOf(row);
        if (worker !== undefined) return <PersonName worker={worker} />;
        return <Link href={balancesPath(row, formatDay(end - 1), server.knownOn)}>{nameOf(row)}</Link>;
      },
    },
    {
      key: "policy",
      name: t("field.policy"),
      isWide: true,
      value: ({ policyId }) => policyOf.get(policyId ?? "")?.name ?? null,
    },
    ...figures,
  ];
  const owing = movements.data?.map((row) => (row.isPaidOut ? row : { ...row, earned: 0 }));
  const moved = (owing ?? []).filter(
    (row) =>
      (row.workerId === null || people.has(row.workerId)) &&
      hasBalance(row, policyOf.get(row.policyId ?? "")) &&
      Object.values(FIGURES)
        .flat()
        .some((key) => row[key] !== 0),
  );
  const rows = sorted(sorted(moved, columns, "policy"), columns, sorting);
  const lines = [...sumOf(rows), ...rows].map((row) => ({ key: row.id, row, isGroup: row.id === TOTAL }));
  const days = `from=${formatDay(first)}&to=${formatDay(end - 1)}${close === undefined ? "" : `&after=${close.id}`}`;
  return (
    <div className="away">
      <div className="head">
        <h1>{rich("movements.in", { month: monthName(first) })}</h1>
        <div className="head-end">
          <DayField
            label={t("movements.month")}
            day={first}
            onChange={(day) => change({ on: formatDay(day) })}
          />
          {switches}
          <Export
            isComplete={[movements, workers, ...queries].every(isLoaded)}
            sheet={() => sheetOf(`${t("movements")} ${formatDay(first).slice(0, 7)}`, columns, lines)}
            path={`/v1/time_off/movements?${days}&groupBy=${groupBy.join()}`}
          />
        </div>
      </div>
      <PeopleSearch
        filter={filter}
        directory={directory}
        change={change}
        end={
          !isFiltered && (
            <Pick
              label={t("group.by")}
              options={[
                { value: "none", label: t("group.nothing") },
                { value: "department", label: groupingName("department") },
              ]}
              value={isByPerson ? "none" : "department"}
              onChange={(by) => change({ by })}
            />
          )
        }
      />
      {failureOrLoading(t("loading.movements"), movements, workers, ...queries) ??
        (lines.length === 0 ? (
          <Empty>{t("movements.none")}</Empty>
        ) : (
          <>
            <DataTable name={t("movements")} columns={columns} lines={lines} sorting={sorting} />
            <p className="soft small">{t("figures.rounded")}</p>
          </>
        ))}
    </div>
  );
}

/** Minutes of a row. `restated` and `granted` absorb the rounding, so that the shown figures add up. */
function minutesOf(key: FigureKey, row: Movement, unit: Unit, round: typeof figureOf): number {
  const exact = (figure: FigureKey) => FIGURES[figure].reduce((sum, part) => sum + row[part], 0);
  const known = row.opening + row.restated;
  const change = (from: number, to: number) => changeOf(from, to, unit, round);
  if (key === "restated") return change(row.opening, known);
  if (key !== "granted") return exact(key);
  const others = change(0, exact("adjusted")) - change(0, exact("used")) - change(0, exact("forfeited"));
  return change(known, row.closing) - others;
}

const TOTAL = "total";

/** The sum of these rows as a list of one row; empty without rows. */
function sumOf(rows: readonly Movement[]): Movement[] {
  const keys = Object.values(FIGURES).flat();
  const sum = (key: (typeof keys)[number]) => rows.reduce((all, row) => all + row[key], 0);
  const sums = Object.fromEntries(keys.map((key) => [key, sum(key)]));
  return rows.slice(0, 1).map((row) => ({ ...row, ...sums, id: TOTAL, workerId: null, policyId: null }));
}

/** The path of the balances behind a row, at the end of the month. */
function balancesPath({ department, policyId }: Movement, on: string, knownOn: string | null): string {
  const filters = { department: department ?? "", policy: policyId ?? "", known: knownOn ?? "" };
  const set = Object.entries(filters).filter(([, value]) => value !== "");
  return `/balances?${new URLSearchParams([["on", on], ["by", "none"], ...set])}`;
}
