// Everybody's balances at the end of a day: what the company owes, by department, location or manager.
import { useMemo } from "react";
import type { Balance, Policy } from "../../client/index.ts";
import { formatDay } from "../../time/day.ts";
import { storedDay } from "../data/days.ts";
import { number, peopleCount, plainDay } from "../data/format.ts";
import { directoryOf, GROUPING_NAME, GROUPINGS, groupingsOf, groupName, NO_WORKERS } from "../data/people.ts";
import { useBalancesOn, usePolicies, useToday, useWorkers } from "../data/queries.ts";
import { useListed, usePeopleFilter, useSettings } from "../data/settings.ts";
import { Export, type Sheet } from "../parts/export.tsx";
import { Choose, PeopleSearch, Pick } from "../parts/search.tsx";
import { Empty, failureOf, Loading, useTitle } from "../parts/states.tsx";
import { type BalanceRow, COLUMNS, nextSorting, parseSorting, useBalanceRows } from "./rows.ts";
import { BalanceTable } from "./table.tsx";

const NO_BALANCES: readonly Balance[] = [];
const NO_POLICIES: readonly Policy[] = [];

export function Balances() {
  useTitle("Balances");
  const today = useToday();
  const { search, change } = useSettings();
  const on = storedDay(search.get("on")) ?? today;
  const filter = usePeopleFilter(search);
  const chosen = useListed(search.get("policy"));
  const sorting = parseSorting(search.get("sort"));
  const grouping = GROUPINGS.find((each) => each === search.get("by")) ?? null;
  const balances = useBalancesOn(on);
  const workers = useWorkers();
  const policies = usePolicies();
  const directory = useMemo(() => directoryOf(workers.data ?? NO_WORKERS), [workers.data]);
  const { rows, groups } = useBalanceRows(
    balances.data ?? NO_BALANCES,
    workers.data ?? NO_WORKERS,
    policies.data ?? NO_POLICIES,
    directory,
    { filter, policies: chosen, sorting, grouping },
  );
  const limited = (policies.data ?? NO_POLICIES).filter(({ isUnlimited }) => !isUnlimited);
  const groupings = [
    { value: "none", label: "nothing" },
    ...groupingsOf(directory).map((value) => ({
      value: value as string,
      label: GROUPING_NAME[value].toLowerCase(),
    })),
  ];
  const isLoading = [balances, workers, policies].some(({ data }) => data === undefined);

  return (
    <div className="away">
      <div className="head">
        <h1>
          Balances <span className="head-when">on {plainDay(on)}</span>
        </h1>
        <div className="head-end">
          <label className="choose pick">
            <span className="soft">On</span>
            <input
              type="date"
              value={formatDay(on)}
              onChange={({ target }) => {
                const day = storedDay(target.value);
                if (day !== null) change({ on: day === today ? null : target.value });
              }}
            />
          </label>
          <Export
            sheet={() => sheetOf(rows, formatDay(on), (row) => groupName(row.worker, "manager", directory))}
            path={`/v1/time_off/balances?endDate=${formatDay(on)}`}
          />
        </div>
      </div>
      <PeopleSearch
        filter={filter}
        directory={directory}
        change={change}
        own={{
          settings: ["policy"],
          set: chosen.length > 0 ? 1 : 0,
          controls: (
            <Choose
              label="Policy"
              options={limited.map(({ id, name }) => ({ value: id, label: name }))}
              chosen={chosen}
              onChange={(policy) => change({ policy })}
            />
          ),
        }}
        end={
          <Pick
            label="Group by"
            options={groupings}
            value={grouping ?? "none"}
            onChange={(by) => change({ by: by === "none" ? null : by })}
          />
        }
      />
      {failureOf(balances, workers, policies) ??
        (isLoading ? (
          <Loading what="Loading balances…" />
        ) : rows.length === 0 ? (
          <Empty>
            {balances.data?.length === 0 ? "There are no balances yet." : "No balance matches these filters."}
          </Empty>
        ) : (
          <>
            <p className="summary soft small" role="status" aria-busy={balances.isPlaceholderData}>
              {summaryOf(rows)}
            </p>
            <BalanceTable
              groups={groups}
              sorting={sorting}
              onSort={(key) => change({ sort: nextSorting(sorting, key) })}
            />
            <p className="soft small">
              Balance is what was granted until that day and is not used. What is locked or requested is part
              of it; the rest is available. Unlimited policies have no balance. A day is eight hours.
            </p>
          </>
        ))}
    </div>
  );
}

/** What is owed in all, in hours and in days of eight hours. */
function summaryOf(rows: readonly BalanceRow[]): string {
  const people = new Set(rows.map(({ worker }) => worker.id)).size;
  const minutes = rows.reduce((sum, { balance }) => sum + COLUMNS[0].of(balance), 0);
  return [
    peopleCount(people),
    rows.length === 1 ? "1 balance" : `${number(rows.length)} balances`,
    `${number(Math.round(minutes / 60))} hours (${number(Math.round(minutes / 480))} days) owed`,
  ].join(" · ");
}

function sheetOf(
  rows: readonly BalanceRow[],
  on: string,
  managerOf: (row: BalanceRow) => string | null,
): Sheet {
  return {
    name: `balances-${on}`,
    header: [
      "Person",
      "Source id",
      "Department",
      "Location",
      "Manager",
      "Policy",
      "Paid",
      ...COLUMNS.map(({ name }) => `${name} (minutes)`),
    ],
    rows: rows.map((row) => [
      row.worker.displayName,
      row.balance.legacyWorkerId,
      row.worker.department,
      row.worker.location,
      managerOf(row),
      row.policy.name,
      row.policy.paid ? "yes" : "no",
      ...COLUMNS.map(({ of }) => Math.round(of(row.balance) * 100) / 100),
    ]),
  };
}
