// Everybody's balances at the end of a day: what the company owes, and what people will lose. By default grouped by department.
import { useMemo, useState } from "react";
import { addMonths, dayOfText, formatDay } from "../../time/day.ts";
import { storedDay } from "../data/days.ts";
import {
  directoryOf,
  GROUPINGS,
  type Grouping,
  groupingName,
  groupingsOf,
  NO_WORKERS,
  underName,
} from "../data/directory.ts";
import { amount, number, peopleCount, plainDay, signed } from "../data/format.ts";
import {
  useBalances,
  useCloses,
  useLosses,
  useMovementsUntil,
  usePolicies,
  useToday,
  useWorkers,
} from "../data/queries.ts";
import {
  type ChangeSettings,
  listPath,
  useListed,
  usePeopleFilter,
  useSettings,
  useUnit,
} from "../data/settings.ts";
import { changeOf, figureOf, minutesIn, sheetFigure, type Unit } from "../data/unit.ts";
import { Export } from "../parts/export.tsx";
import { PersonName } from "../parts/people-table.tsx";
import { DayField, PeopleSearch, Pick, PolicyFilter, Segments, UnitSwitch } from "../parts/search.tsx";
import { Empty, failureOf, failureOrLoading, isLoaded, useTitle } from "../parts/states.tsx";
import { type Column, DataTable, dayColumn, type Line, Opener, sheetOf, sorted } from "../parts/table.tsx";
import { rich } from "../texts/rich.tsx";
import { t } from "../texts/texts.ts";
import { type BalanceRow, type Figure, groupOf, leftLast, rowsOf, sumOf } from "./balance-rows.ts";
import { Closed } from "./closes.tsx";
import { MonthOfMovements } from "./month.tsx";
import { YearOfBalances } from "./year.tsx";

export function Balances() {
  const { search, change } = useSettings();
  const [unit] = useUnit();
  const asked = search.get("show");
  const [hasChosen, setChosen] = useState(false);
  const closes = useCloses().data ?? [];
  const views: Readonly<Record<string, string>> = {
    balances: t("view.balances"),
    movements: t("balances.month"),
    year: t("balances.year"),
    ...(closes.length > 0 && { closes: t("closes") }),
  };
  const shown = Object.keys(views).find((view) => view === asked) ?? "balances";
  const switches = (
    <>
      <UnitSwitch />
      <Segments
        legend={t("balances.shown")}
        options={views}
        value={shown}
        takesFocus={hasChosen}
        onChange={(show) => {
          setChosen(true);
          change({ show: show === "balances" ? null : show, sort: null, open: null }, true);
        }}
      />
    </>
  );
  if (shown === "movements") return <MonthOfMovements unit={unit} switches={switches} />;
  if (shown === "closes") return <Closed unit={unit} switches={switches} closes={closes} />;
  if (shown === "year") return <YearOfBalances unit={unit} switches={switches} />;
  return <BalancesOnDay unit={unit} switches={switches} />;
}

/** The settings in the address. */
function useBalanceSettings(unit: Unit) {
  const today = useToday();
  const { search, change } = useSettings();
  const on = storedDay(search.get("on")) ?? today;
  const more = Number.parseFloat(search.get("more") ?? ""); // NaN for other texts
  // Losses of a year end with this day. Time that expires at the end of a day is lost on the next one.
  const latest = addMonths(on, 12) - 1;
  const until = storedDay(search.get("until")) ?? latest;
  return {
    today,
    search,
    change,
    on,
    filter: usePeopleFilter(search),
    chosen: useListed(search.get("policy")),
    opened: useListed(search.get("open")),
    owedOpen: search.get("owed"),
    /** Minutes; null to show all people. */
    losesMoreThan: Number.isFinite(more) ? more * minutesIn(unit) : null,
    latest,
    /** The last day of losses. A day before the chosen one is ignored. */
    until: until < on ? latest : Math.min(until, latest),
  };
}

function BalancesOnDay({ unit, switches }: Parameters<typeof MonthOfMovements>[0]) {
  useTitle(t("view.balances"));
  const { today, search, change, on, filter, chosen, opened, owedOpen, losesMoreThan, latest, until } =
    useBalanceSettings(unit);
  const movements = useMovementsUntil(on);
  const workers = useWorkers();
  const policies = usePolicies();
  // Balances come first. The other queries cost the server more, and begin afterwards.
  const later = { enabled: movements.data !== undefined };
  const [withBooked, losses] = [useBalances(later), useLosses(on, later)];
  const directory = useMemo(() => directoryOf(workers.data ?? NO_WORKERS), [workers.data]);
  const groupings = groupingsOf(directory);
  const named = groupingNamed(search.get("by"), groupings);
  const grouping = losesMoreThan === null ? named : null; // the list of losses is always by person
  const sorting = search.get("sort") ?? (losesMoreThan === null ? "name" : "-lost");

  const rows = rowsOf(
    {
      movements: movements.data ?? [],
      withBooked: withBooked.data ?? [],
      losses: (losses.data ?? []).filter(({ date }) => dayOfText(date) <= until + 1),
      policies: policies.data ?? [],
      directory,
    },
    { filter, policies: chosen, losesMoreThan },
  );
  const unknown = [withBooked, losses].every(isLoaded) ? [] : ["booked", "requested", "lost", "by"];
  const columns = columnsOf({ unit, grouping, opened, owedOpen, unknown, change });
  const inOrder = (some: readonly BalanceRow[]) => sorted(some, columns, sorting);
  const line = (row: BalanceRow): Line<BalanceRow> => ({
    key: keyOf(row),
    row,
    isGroup: row.worker === null,
    ...(owedOpen === keyOf(row) && { detail: <Owed row={row} unit={unit} /> }),
  });
  const people = (): Line<BalanceRow>[] => {
    if (grouping === null) return inOrder(rows).map(line);
    const groups = Map.groupBy(rows, (row) => groupOf(row, grouping, directory));
    const sums = inOrder([...groups].map(([name, own]) => sumOf(name, own)));
    return sums
      .toSorted((a, b) => leftLast(a.name, b.name))
      .flatMap((row) => [
        line(row),
        ...(opened.includes(row.name) ? inOrder(groups.get(row.name)!).map(line) : []),
      ]);
  };
  const below = people();
  const lines = [line(sumOf(t("total"), rows)), ...below];
  const [name, ...others] = columns as [Column<BalanceRow>, ...Column<BalanceRow>[]];
  const sheetColumns =
    grouping === null
      ? columns
      : [
          { ...name, value: (row: BalanceRow) => groupOf(row, grouping, directory) },
          { ...name, name: t("field.person"), value: (row: BalanceRow) => row.worker && row.name },
          ...others,
        ];
  const limited = (policies.data ?? []).filter(({ isUnlimited }) => !isUnlimited);
  const needed = [movements, workers, policies, ...(losesMoreThan === null ? [] : [losses])];
  return (
    <div className="away">
      <div className="head">
        <h1>{rich("balances.on", { day: plainDay(on) })}</h1>
        <div className="head-end">
          <DayField
            label={t("balances.day")}
            day={on}
            onChange={(day) => change({ on: day === today ? null : formatDay(day) })}
          />
          {switches}
          <Export
            isComplete={[...needed, withBooked, losses].every(isLoaded)}
            sheet={() => sheetOf(`${t("view.balances")} ${formatDay(on)}`, sheetColumns, below)}
            path={
              losesMoreThan === null
                ? listPath("/v1/time_off/balances", filter, directory, {
                    endDate: formatDay(on),
                    policyIds: chosen,
                  })
                : null
            }
          />
        </div>
      </div>
      <PeopleSearch
        filter={filter}
        directory={directory}
        change={change}
        own={{
          settings: ["policy", "more", "until"],
          set: Number(chosen.length > 0) + Number(losesMoreThan !== null) + Number(search.has("until")),
          controls: <PolicyFilter policies={limited} chosen={chosen} change={change} />,
        }}
        end={
          <>
            <label className="choose pick">
              <span className="soft">{t(`balances.more.${unit}`)}</span>
              <input
                type="number"
                min="0"
                value={search.get("more") ?? ""}
                onChange={({ target }) => change({ more: target.value })}
              />
            </label>
            <div className="choose pick">
              <span className="soft">{t("balances.until")}</span>
              <DayField
                label={t("balances.until")}
                day={until}
                within={{ first: on, end: latest + 1 }}
                onChange={(day) => change({ until: day === latest ? null : formatDay(day) })}
              />
            </div>
            <Pick
              label={t("group.by")}
              options={[
                { value: "none", label: t("group.nothing") },
                ...groupings.map((value) => ({ value, label: groupingName(value) })),
              ]}
              value={grouping ?? "none"}
              onChange={(next) => change({ by: next, open: null })}
            />
          </>
        }
      />
      {failureOf(withBooked, losses) ??
        failureOrLoading(t("loading.balances"), ...needed) ??
        (rows.length === 0 ? (
          <Empty>{t(movements.data?.length === 0 ? "balances.none" : "balances.noMatch")}</Empty>
        ) : (
          <>
            <p className="summary soft small" role="status">
              {peopleCount(lines[0]!.row.people)}
            </p>
            <DataTable name={t("view.balances")} columns={columns} lines={lines} sorting={sorting} />
            <p className="soft small">
              {t("balances.explained")} {t("figure.owed.meaning")} {t("figures.rounded")}
            </p>
          </>
        ))}
    </div>
  );
}

interface Shown {
  readonly unit: Unit;
  readonly grouping: Grouping | null;
  /** The names of groups whose people are shown. */
  readonly opened: readonly string[];
  /** The key of the row that explains what is owed. */
  readonly owedOpen: string | null;
  /** The columns that are not loaded yet. */
  readonly unknown: readonly string[];
  readonly change: ChangeSettings;
}

function columnsOf({
  unit,
  grouping,
  opened,
  owedOpen,
  unknown,
  change,
}: Shown): readonly Column<BalanceRow>[] {
  const toggle = (name: string) =>
    change({ open: opened.includes(name) ? opened.filter((each) => each !== name) : [...opened, name] });
  const figure = (key: Figure, name: string, isWide: boolean): Column<BalanceRow> => ({
    key,
    name: t(`figure.in.${unit}`, { name }),
    isFigure: true,
    isWide,
    value: (row) => sheetFigure(row[key], unit),
    cell: (row) => <span className={figureClass(key, row[key])}>{number(figureOf(row[key], unit))}</span>,
  });
  const all: readonly Column<BalanceRow>[] = [
    {
      key: "name",
      name: grouping === null ? t("field.person") : groupingName(grouping),
      value: ({ name }) => name,
      cell: (row) => (
        <Name row={row} isOpen={opened.includes(row.name)} onToggle={isGroup(row) ? toggle : null} />
      ),
    },
    { key: "policy", name: t("field.policy"), isWide: true, value: ({ policy }) => policy?.name ?? null },
    {
      key: "people",
      name: t("view.people"),
      isFigure: true,
      isWide: true,
      value: ({ worker, people }) => (worker === null ? people : null),
      cell: ({ worker, people }) => worker === null && number(people),
    },
    figure("balance", t("figure.balance"), false),
    figure("booked", t("part.booked"), true),
    figure("requested", t("part.requested"), true),
    figure("lost", t("figure.lost"), false),
    dayColumn("by", t("figure.useBy"), ({ expiresBy }) => expiresBy),
    {
      ...figure("owed", t("figure.owed"), false),
      cell: (row) =>
        row.owed === 0 && row.paidOut === 0 ? (
          <span className="soft">{number(0)}</span>
        ) : (
          <Opener
            name={number(figureOf(row.owed, unit))}
            isOpen={owedOpen === keyOf(row)}
            onToggle={() => change({ owed: owedOpen === keyOf(row) ? null : keyOf(row) })}
          />
        ),
    },
  ];
  return all
    .filter(({ key }) => key !== "people" || grouping !== null)
    .map((column) => (unknown.includes(column.key) ? { ...column, cell: () => "…" } : column));
}

/** The grouping that the address names; by default the first, if people have any. */
function groupingNamed(name: string | null, groupings: readonly Grouping[]): Grouping | null {
  if (name === "none") return null;
  return GROUPINGS.find((each) => each === name) ?? groupings[0] ?? null;
}

/** How what is owed follows from the balance. */
function Owed({ row: { paidOut, owed }, unit }: { readonly row: BalanceRow; readonly unit: Unit }) {
  return (
    <p className="small">
      {t("figure.owed.of", {
        balance: amount(paidOut, unit),
        change: signed(changeOf(paidOut, owed, unit), unit),
        owed: amount(owed, unit),
      })}
    </p>
  );
}

const keyOf = ({ worker, policy, name }: BalanceRow) =>
  worker === null ? `group ${name}` : `${worker.id} ${policy!.id}`;

const isGroup = ({ worker, name }: BalanceRow) => worker === null && name !== t("total");

function figureClass(key: Figure, minutes: number): string {
  if (key === "balance" && minutes < 0) return "overdrawn";
  return minutes === 0 ? "soft" : "";
}

interface NameProps {
  readonly row: BalanceRow;
  readonly isOpen: boolean;
  /** Null for a row that does not open. */
  readonly onToggle: ((name: string) => void) | null;
}

/** The name of a group, with a button that opens it; or of a person, with the job to tell namesakes apart. */
function Name({ row: { name, worker }, isOpen, onToggle }: NameProps) {
  if (onToggle !== null) return <Opener name={name} isOpen={isOpen} onToggle={() => onToggle(name)} />;
  if (worker === null) return name;
  return (
    <>
      <PersonName worker={worker} />
      <bdi className="under soft small clip wide-only">{underName(worker)}</bdi>
    </>
  );
}
