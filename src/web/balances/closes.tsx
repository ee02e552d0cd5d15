// A close: whose figure differs today, and why.
import type { ReactNode } from "react";
import type { Close, CloseDifference } from "../../client/index.ts";
import { dayOfText } from "../../time/day.ts";
import { amount, facts, instantText, number, plainText, shortRange, signed } from "../data/format.ts";
import { useDifferences, usePolicies, useWorkers } from "../data/queries.ts";
import { useListed, useSettings } from "../data/settings.ts";
import { figureOf, type Unit } from "../data/unit.ts";
import { Export } from "../parts/export.tsx";
import { Pick as Choice } from "../parts/search.tsx";
import { failureOf, Loading, useTitle } from "../parts/states.tsx";
import { type Column, DataTable, Opener, sheetOf, sorted } from "../parts/table.tsx";
import { rich } from "../texts/rich.tsx";
import { t } from "../texts/texts.ts";

interface Props {
  readonly unit: Unit;
  readonly switches: ReactNode;
  /** At least one, the newest first. */
  readonly closes: readonly Close[];
}

export function Closed({ unit, switches, closes }: Props) {
  useTitle(t("closes"));
  const { search, change } = useSettings();
  const close = closes.find(({ id }) => id === search.get("close")) ?? closes[0]!;
  const opened = useListed(search.get("open"));
  const differences = useDifferences(close.id);
  const [workers, policies] = [useWorkers(), usePolicies()];
  const workerOf = new Map(workers.data?.map(({ id, displayName }) => [id, displayName]));
  const policyOf = new Map(policies.data?.map(({ id, name }) => [id, name]));
  const sorting = search.get("sort") ?? "-difference";
  const toggle = (id: string) =>
    change({ open: opened.includes(id) ? opened.filter((each) => each !== id) : [...opened, id] });
  const nameOf = ({ workerId }: CloseDifference) => workerOf.get(workerId) ?? workerId;
  const figure = (
    key: "closedMinutes" | "nowMinutes" | "difference",
    name: string,
  ): Column<CloseDifference> => ({
    key,
    name: t(`figure.in.${unit}`, { name }),
    isFigure: true,
    isWide: key !== "difference",
    value: (row) => figureOf(row[key], unit),
    cell: (row) => number(figureOf(row[key], unit)),
  });
  const columns: readonly Column<CloseDifference>[] = [
    {
      key: "name",
      name: t("field.person"),
      value: nameOf,
      cell: (row) => (
        <Opener name={nameOf(row)} isOpen={opened.includes(row.id)} onToggle={() => toggle(row.id)} />
      ),
    },
    {
      key: "policy",
      name: t("field.policy"),
      isWide: true,
      value: ({ policyId }) => policyOf.get(policyId) ?? null,
    },
    figure("closedMinutes", t("closes.closed")),
    figure("nowMinutes", t("closes.now")),
    figure("difference", t("closes.difference")),
  ];
  const lines = sorted(differences.data ?? [], columns, sorting).map((row) => ({
    key: row.id,
    row,
    ...(opened.includes(row.id) && { detail: <Causes {...row} unit={unit} /> }),
  }));
  return (
    <div className="away">
      <div className="head">
        <h1>
          {rich("closes.until", {
            name: close.id,
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
            sheet={() => sheetOf(`close-${close.id}`, columns, lines)}
            path={`/v1/time_off/closes/${encodeURIComponent(close.id)}/differences`}
          />
        </div>
      </div>
      {failureOf(differences, workers, policies) ??
        (differences.data === undefined || workers.data === undefined ? (
          <Loading what={t("loading.balances")} />
        ) : (
          <>
            <p className="summary soft small" role="status">
              {facts(
                t("closes.known", { when: instantText(close.knownOn) }),
                t("closes.balances", { count: close.balances }),
                amount(close.minutes, unit),
                t("closes.differ", { count: lines.length }),
                close.erasedWorkers > 0 && t("closes.erased", { count: close.erasedWorkers }),
                close.erasedRequests > 0 && t("closes.erasedRequests", { count: close.erasedRequests }),
              )}
            </p>
            {lines.length > 0 && (
              <DataTable
                columns={columns}
                lines={lines}
                sorting={sorting}
                onSort={(sort) => change({ sort })}
              />
            )}
          </>
        ))}
    </div>
  );
}

function Causes({ causes, unit }: Pick<CloseDifference, "causes"> & Pick<Props, "unit">) {
  return (
    <ul className="small">
      {causes.map(({ cause, sourceId, minutes, from, through }) => (
        <li key={`${cause} ${sourceId}`}>
          {facts(
            signed(minutes, unit),
            t(`closes.cause.${cause}`),
            from !== null && through !== null && shortRange(dayOfText(from), dayOfText(through)),
          )}
        </li>
      ))}
    </ul>
  );
}
