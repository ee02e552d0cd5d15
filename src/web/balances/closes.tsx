// A close: the figures that differ today, with causes, and everybody's closed figures by department.
import type { ReactNode } from "react";
import type { Close, CloseDifference, Movement, Policy, Worker } from "../../client/index.ts";
import { dayOfText } from "../../time/day.ts";
import { requestStatusName } from "../data/absences.ts";
import { departmentOf, groupLabel } from "../data/directory.ts";
import {
  amount,
  changeText,
  facts,
  instantText,
  number,
  plainText,
  shortRange,
  signed,
} from "../data/format.ts";
import { hasBalance, useClosed, useDifferences, usePoliciesOf, useWorkers } from "../data/queries.ts";
import { useListed, useSettings } from "../data/settings.ts";
import { changeOf, figureOf, sheetFigure, type Unit } from "../data/unit.ts";
import { Export } from "../parts/export.tsx";
import { PersonName } from "../parts/people-table.tsx";
import { Pick as Choice } from "../parts/search.tsx";
import { failureOrLoading, isLoaded, useTitle } from "../parts/states.tsx";
import { type Column, DataTable, type Line, Opener, sheetOf, sorted } from "../parts/table.tsx";
import { rich } from "../texts/rich.tsx";
import { t } from "../texts/texts.ts";
import { haveLeft, leftLast } from "./balance-rows.ts";

interface Props {
  readonly unit: Unit;
  readonly switches: ReactNode;
  /** At least one, the newest first. */
  readonly closes: readonly Close[];
}

/** A balance, or the sum of a department. */
interface Row {
  readonly id: string;
  readonly name: string;
  /** The department; people who have left are a group of their own, as in the view of balances. */
  readonly group: string;
  /** Null in a sum. */
  readonly worker: Worker | null;
  readonly policy: string | null;
  /** Minutes: what was closed, and what it is now. */
  readonly closed: number;
  readonly now: number;
  readonly causes: CloseDifference["causes"];
}

export function Closed({ unit, switches, closes }: Props) {
  useTitle(t("closes"));
  const { search, change } = useSettings();
  const close = closes.find(({ id }) => id === search.get("close")) ?? closes[0]!;
  const opened = useListed(search.get("open"));
  const [differences, figures] = [useDifferences(close.id), useClosed(close)];
  const workers = useWorkers();
  const { policyOf, ...policies } = usePoliciesOf(
    close,
    figures.data && differences.data && [...figures.data, ...differences.data],
  );
  const sorting = search.get("sort") ?? "name";
  const toggle = (id: string) =>
    change({ open: opened.includes(id) ? opened.filter((each) => each !== id) : [...opened, id] });
  const opener = ({ id }: Row, text: string) => (
    <Opener name={text} isOpen={opened.includes(id)} onToggle={() => toggle(id)} />
  );
  const figure = (
    key: string,
    name: string,
    minutes: (row: Row, round?: typeof figureOf) => number,
  ): Column<Row> => ({
    key,
    name: t(`figure.in.${unit}`, { name }),
    isFigure: true,
    isWide: key === "now",
    value: (row) => sheetFigure(minutes(row, sheetFigure), unit),
    cell: (row) => {
      const value = figureOf(minutes(row), unit);
      if (key !== "difference") return number(value);
      return row.causes.length > 0 ? opener(row, changeText(value)) : changeText(value);
    },
  });
  const columns: readonly Column<Row>[] = [
    {
      key: "name",
      name: t("field.person"),
      value: ({ name }) => name,
      cell: (row) => {
        const { id, name, worker } = row;
        if (id === "total") return name;
        return worker === null ? opener(row, name) : <PersonName worker={worker} />;
      },
    },
    {
      key: "department",
      name: t("field.department"),
      isWide: true,
      value: ({ worker, group }) => worker && group,
    },
    { key: "policy", name: t("field.policy"), isWide: true, value: ({ policy }) => policy },
    figure("closed", t("closes.closed"), ({ closed }) => closed),
    figure("now", t("closes.now"), ({ now }) => now),
    figure("difference", t("closes.difference"), ({ closed, now }, round) =>
      changeOf(closed, now, unit, round),
    ),
  ];
  const named = (figures: readonly Figure[]) => rowsOf(figures, workers.data ?? [], policyOf, close.through);
  const balances = (figures.data ?? []).filter((row) => hasBalance(row, policyOf.get(row.policyId ?? "")));
  const rows = named(balances.map(closedFigure));
  // Includes leave under unlimited policies, which have no balance and are in no sum.
  const changed = named((differences.data ?? []).map(changedFigure));
  const inOrder = (some: readonly Row[]) => sorted(some, columns, sorting);
  const line = (row: Row): Line<Row> => ({
    key: row.id,
    row,
    ...(row.causes.length > 0 && opened.includes(row.id) && { detail: <Causes {...row} unit={unit} /> }),
  });
  const groups = Map.groupBy(rows, ({ group }) => group);
  const sums = inOrder([...groups].map(([name, own]) => sumOf(name, name, own))).toSorted((a, b) =>
    leftLast(a.name, b.name),
  );
  const isChanged = new Set(changed.map(({ id }) => id));
  const everybody = [...changed, ...rows.filter(({ id }) => !isChanged.has(id))];
  const lines = [
    ...inOrder(changed).map(line),
    { key: "total", row: sumOf("total", t("total"), rows), isGroup: true },
    ...sums.flatMap((row) => [
      { key: row.id, row, isGroup: true },
      // All rows of the group, so that they add up to its sum. Causes are in the list above.
      ...(opened.includes(row.id)
        ? inOrder(groups.get(row.id)!).map((row) => ({ key: `in ${row.id}`, row }))
        : []),
    ]),
  ];
  const queries = [differences, figures, workers, ...policies.queries];
  return (
    <div className="away">
      <div className="head">
        <h1>
          {rich("closes.until", {
            name: <bdi>{close.id}</bdi>, // after an Arabic word, 2026-10 would be shown as 10-2026
            day: plainText(close.through),
          })}
        </h1>
        <div className="head-end">
          <Choice
            label={t("closes.which")}
            options={closes.map(({ id }) => ({ value: id, label: id }))}
            value={close.id}
            onChange={(id) => change({ close: id === closes[0]!.id ? null : id, open: null })}
          />
          {switches}
          <Export
            isComplete={queries.every(isLoaded)}
            sheet={() => sheetOf(`${t("closes.which")} ${close.id}`, columns, inOrder(everybody).map(line))}
            path={`/v1/time_off/closes/${encodeURIComponent(close.id)}/differences`}
          />
        </div>
      </div>
      {failureOrLoading(t("loading.balances"), ...queries) ?? (
        <>
          <p className="summary soft small" role="status">
            {facts(
              t("closes.known", { when: instantText(close.knownOn) }),
              t("closes.balances", { count: close.balances }),
              amount(close.minutes, unit),
              t("closes.differ", { count: changed.length }),
              close.erasedWorkers > 0 && t("closes.erased", { count: close.erasedWorkers }),
              close.erasedRequests > 0 && t("closes.erasedRequests", { count: close.erasedRequests }),
            )}
          </p>
          <DataTable name={t("closes")} columns={columns} lines={lines} sorting={sorting} />
          <p className="soft small">{t("figures.rounded")}</p>
        </>
      )}
    </div>
  );
}

/** The closed figure of a worker under a policy, the figure now, and the causes of the difference. */
interface Figure extends Pick<Row, "closed" | "now" | "causes"> {
  readonly workerId: string | null;
  readonly policyId: string | null;
}

const closedFigure = ({ workerId, policyId, opening, restated }: Movement): Figure => ({
  workerId,
  policyId,
  closed: opening,
  now: opening + restated,
  causes: [],
});

const changedFigure = ({ closedMinutes, nowMinutes, ...difference }: CloseDifference): Figure => ({
  ...difference,
  closed: closedMinutes,
  now: nowMinutes,
});

/** The figures with names. */
function rowsOf(
  figures: readonly Figure[],
  workers: readonly Worker[],
  policyOf: ReadonlyMap<string, Policy>,
  through: string,
): readonly Row[] {
  const workerOf = new Map(workers.map((worker) => [worker.id, worker]));
  return figures.flatMap(({ workerId, policyId, closed, now, causes }): Row[] => {
    const worker = workerOf.get(workerId ?? "");
    const policy = policyOf.get(policyId ?? "")?.name;
    if (worker === undefined || policy === undefined) return [];
    const hasLeft = worker.endDate !== null && worker.endDate <= through;
    const group = hasLeft ? haveLeft() : groupLabel(departmentOf(worker), "department");
    const name = worker.displayName;
    return [{ id: `${worker.id} ${policyId}`, name, group, worker, policy, closed, now, causes }];
  });
}

function sumOf(id: string, name: string, rows: readonly Row[]): Row {
  const sum = (of: (row: Row) => number) => rows.reduce((all, row) => all + of(row), 0);
  const [closed, now] = [sum((row) => row.closed), sum((row) => row.now)];
  return { id, name, group: name, worker: null, policy: null, closed, now, causes: [] };
}

/** The causes, each as a step between the closed figure and the figure now. */
function Causes({ closed, causes, unit }: Pick<Row, "closed" | "causes"> & Pick<Props, "unit">) {
  const after = (count: number) => causes.slice(0, count).reduce((sum, { minutes }) => sum + minutes, closed);
  return (
    <ul className="small">
      {causes.map(({ cause, sourceId, was, is }, at) => {
        const change = (text: (entry: Dated) => string) => changed(was && text(was), is && text(is));
        return (
          <li key={`${cause} ${sourceId}`}>
            {facts(
              signed(changeOf(after(at), after(at + 1), unit), unit),
              t(`closes.cause.${cause}`),
              change(({ from, through }) => shortRange(dayOfText(from), dayOfText(through))),
              change(({ minutes }) => amount(minutes, unit)),
              was && is && was.status !== is.status && change(({ status }) => requestStatusName(status!)), // of requests
            )}
          </li>
        );
      })}
    </ul>
  );
}

type Dated = NonNullable<CloseDifference["causes"][number]["was"]>;

/** `10 days → 8 days`, or the one text that there is. */
const changed = (was: string | null, is: string | null) =>
  was === null || is === null || was === is ? (is ?? was) : t("closes.change", { was, is });
