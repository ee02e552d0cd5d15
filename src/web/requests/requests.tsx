// Requests with filters: all pending ones, oldest first; pending ones whose days are over; or all of a period. Each opens to its days.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Policy, Worker } from "../../client/index.ts";
import { type Day, dayOfText, formatDay } from "../../time/day.ts";
import { TeamCalendar } from "../away/team-calendar.tsx";
import {
  type Absence,
  absenceOf,
  absencesIn,
  dayColumns,
  startOf,
  statusText,
  whenText,
} from "../data/absences.ts";
import { monthsOf, storedDay, wallTime } from "../data/days.ts";
import { type Directory, departmentOf, directoryOf, filterPeople, NO_WORKERS } from "../data/directory.ts";
import { amount, enumerated, facts, plainDay, shortDay, signed } from "../data/format.ts";
import {
  previewOf,
  useCompany,
  useDaysOf,
  usePolicies,
  useRequests,
  useRequestsInEach,
  useServer,
  useToday,
  useWorkers,
} from "../data/queries.ts";
import { listPath, useListed, usePeopleFilter, useSettings } from "../data/settings.ts";
import { Export, type Sheet, sheetWith } from "../parts/export.tsx";
import { PersonName } from "../parts/people-table.tsx";
import { DayField, PeopleSearch, PolicyFilter, Segments } from "../parts/search.tsx";
import { Empty, failureOf, failureOrLoading, isLoaded, Loading, useTitle } from "../parts/states.tsx";
import { type Column, DataTable, type Line, Opener, sorted } from "../parts/table.tsx";
import { rich } from "../texts/rich.tsx";
import { t } from "../texts/texts.ts";

interface Row {
  readonly absence: Absence;
  readonly worker: (typeof NO_WORKERS)[number];
  readonly policy: Policy;
  /** The day on which it was requested: a local day, like the days of leave. */
  readonly askedOn: Day;
}

/** The period begins this far back by default. */
const DAYS_BACK = 183;

export function Requests() {
  useTitle(t("view.requests"));
  const today = useToday();
  const { search, change } = useSettings();
  const asked = search.get("show");
  const shown = asked === "all" || asked === "past" ? asked : "waiting";
  const isAll = shown === "all";
  const from = storedDay(search.get("from")) ?? today - DAYS_BACK;
  const filter = usePeopleFilter(search);
  const chosen = useListed(search.get("policy"));
  const sorting = search.get("sort") ?? (isAll ? "-when" : "asked");
  const opened = search.get("request");
  const company = useCompany();
  const requests = useRequests(isAll ? formatDay(from) : null);
  const workers = useWorkers();
  const policies = usePolicies();
  const directory = useMemo(() => directoryOf(workers.data ?? NO_WORKERS), [workers.data]);
  const zone = company.data?.timeZone ?? null;

  const columns: readonly Column<Row>[] = [
    {
      key: "person",
      name: t("field.person"),
      value: ({ worker }) => worker.displayName,
      cell: ({ worker, absence, policy }) => (
        <>
          <PersonName worker={worker} />
          <span className="narrow-only soft small clip">
            {facts(sizeOf(absence, policy), policy.timeOffTypeName)}
          </span>
        </>
      ),
    },
    {
      key: "department",
      name: t("field.department"),
      isWide: true,
      value: ({ worker }) => departmentOf(worker),
    },
    {
      key: "kind",
      name: t("field.kind"),
      isWide: true,
      value: ({ policy }) => policy.timeOffTypeName,
    },
    {
      key: "when",
      name: t("field.when"),
      value: ({ absence }) => startOf(absence),
      cell: ({ absence }) => (
        <Opener
          name={whenText(absence)}
          isOpen={opened === absence.request.id}
          onToggle={() => change({ request: opened === absence.request.id ? null : absence.request.id })}
        />
      ),
    },
    {
      key: "minutes",
      name: t("field.amount"),
      isFigure: true,
      isWide: true,
      value: ({ absence }) => absence.request.requestedMinutes,
      cell: ({ absence, policy }) => sizeOf(absence, policy),
    },
    {
      key: "asked",
      name: t("field.requestedOn"),
      isFigure: true,
      isWide: true,
      value: ({ absence }) => absence.request.createdAt,
      cell: ({ askedOn }) => plainDay(askedOn),
    },
    {
      key: "status",
      name: t("field.status"),
      isWide: false,
      value: ({ absence }) => statusText(absence, today),
      cell: ({ absence }) => (
        <span className={`pill request-${absence.request.status}`}>{statusText(absence, today)}</span>
      ),
    },
  ];
  const rows = useMemo(() => {
    const people = new Map(
      filterPeople(workers.data ?? NO_WORKERS, filter).map((worker) => [worker.id, worker]),
    );
    const policyOf = new Map(policies.data?.map((policy) => [policy.id, policy]));
    return (requests.data ?? []).flatMap((request): Row[] => {
      const worker = people.get(request.workerId);
      const policy = policyOf.get(request.timeOffPolicyId);
      if (worker === undefined || policy === undefined) return [];
      if (chosen.length > 0 && !chosen.includes(policy.id)) return [];
      const absence = absenceOf(request, worker, zone);
      if (shown === "past" && absence.lastDay >= today) return [];
      return [{ absence, worker, policy, askedOn: wallTime(request.createdAt, absence.zone).day }];
    });
  }, [requests.data, workers.data, policies.data, filter, chosen, zone, shown, today]);
  const lines = sorted(rows, columns, sorting).map((row) => ({
    key: row.absence.request.id,
    row,
    ...(opened === row.absence.request.id && {
      detail: (
        <>
          <DaysOf {...row} />
          {row.absence.request.status !== "denied" && !row.policy.isUnlimited && <LeftAfter {...row} />}
          <OthersAway {...row} directory={directory} />
        </>
      ),
    }),
  }));
  const isComplete = [requests, workers, policies, company].every(isLoaded);
  const query = isAll ? { endsOnOrAfter: formatDay(from) } : { statuses: "pending" };
  return (
    <div className="away">
      <div className="head">
        <h1>
          {isAll
            ? rich("requests.since", { day: plainDay(from) })
            : t(shown === "past" ? "request.past" : "requests.pending")}
        </h1>
        <p className="soft small" role="status">
          {isComplete ? t("requests.count", { count: rows.length }) : UNKNOWN}
        </p>
        <div className="head-end">
          {isAll && (
            <DayField
              label={t("requests.from")}
              day={from}
              onChange={(day) => change({ from: formatDay(day) })}
            />
          )}
          <Segments
            legend={t("requests.shown")}
            options={{ waiting: t("request.pending"), past: t("request.past"), all: t("choose.all") }}
            value={shown}
            onChange={(show) => change({ show: show === "waiting" ? null : show, sort: null, request: null })}
          />
          <Export
            isComplete={isComplete}
            sheet={() => sheetOf(lines, today)}
            path={
              shown === "past"
                ? null
                : listPath("/v1/time_off/requests", filter, directory, { ...query, policyIds: chosen })
            }
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
          controls: <PolicyFilter policies={policies.data} chosen={chosen} change={change} />,
        }}
      />
      {failureOrLoading(t("loading.requests"), requests, workers, policies, company) ??
        (rows.length === 0 ? (
          <Empty>{t(shown === "waiting" ? "requests.nonePending" : "requests.none")}</Empty>
        ) : (
          <DataTable name={t("view.requests")} columns={columns} lines={lines} sorting={sorting} />
        ))}
    </div>
  );
}

/** Leave of a part of a day is shown in hours. */
const sizeOf = ({ request, isWholeDays }: Absence, { unit }: Policy) =>
  amount(request.requestedMinutes, isWholeDays ? unit : "hour");

/** The same as the table, in the columns of a person's sheet. */
function sheetOf(lines: readonly Line<Row>[], today: Day): Sheet {
  const rows = lines.map(({ row }) => ({ ...row, ...row.absence }));
  return sheetWith(t("view.requests"), rows, {
    [t("field.person")]: ({ worker }) => worker.displayName,
    [t("field.department")]: ({ worker }) => departmentOf(worker),
    [t("field.kind")]: ({ policy }) => policy.timeOffTypeName,
    ...dayColumns(),
    [t("field.minutes")]: ({ request }) => request.requestedMinutes,
    [t("field.requestedOn")]: ({ askedOn }) => formatDay(askedOn),
    [t("field.status")]: (row) => statusText(row, today),
  });
}

/** The text for an unknown amount or count. */
const UNKNOWN = "–";

/** The minutes of each day, which add up to those of the request. */
function DaysOf({ absence: { request, firstDay, lastDay }, askedOn }: Pick<Row, "absence" | "askedOn">) {
  const days = useDaysOf(request, firstDay, lastDay);
  return (
    failureOf(days) ??
    (days.data === undefined ? (
      <Loading what={t("loading.days")} />
    ) : (
      <ul className="legend small">
        {days.data.map(({ id, date, minutes }) => (
          <li key={id}>{t("fact", { name: shortDay(dayOfText(date)), value: amount(minutes, "hour") })}</li>
        ))}
        <li className="narrow-only">
          {t("fact", { name: t("field.requestedOn"), value: plainDay(askedOn) })}
        </li>
        {request.reason !== null && (
          <li>
            <span>{rich("quoted", { text: <bdi>{request.reason}</bdi> })}</span>
          </li>
        )}
      </ul>
    ))
  );
}

/** The balance after the leave and all other booked and pending leave. If less of it can be taken, that amount, too. */
function LeftAfter({ absence: { request, lastDay }, policy: { id, unit } }: Pick<Row, "absence" | "policy">) {
  const balance = { workerId: request.workerId, policyId: id };
  const { data, isPending } = useQuery(previewOf(useServer(), balance, lastDay));
  const left = data?.balanceBefore ?? 0;
  const most = data?.mostMinutes ?? 0;
  const shown = left < 0 ? signed(left, unit) : amount(left, unit);
  return (
    <p className="small">
      {facts(
        t("fact", {
          name: t("part.leftOn", { day: plainDay(lastDay) }),
          value: data === undefined ? (isPending ? "…" : UNKNOWN) : shown,
        }),
        left - most >= 1 && t("fact", { name: t("part.canTake"), value: amount(most, unit) }),
      )}
    </p>
  );
}

interface OthersProps extends Pick<Row, "absence" | "worker"> {
  readonly directory: Directory;
}

/**
 * Other people with the same manager who are away on these days or have pending requests, if the viewer sees the manager's team; whether
 * the viewer is one of them; and a link to the calendar.
 */
function OthersAway({ absence: { firstDay, lastDay }, worker, directory: { byId } }: OthersProps) {
  const { workerId } = useServer();
  const days = { first: firstDay, end: lastDay + 1 };
  // By months, like the calendar: the cache and the static demo have these requests.
  const requests = useRequestsInEach(monthsOf(days));
  const zone = useCompany().data?.timeZone ?? null;
  const isAbsence = new Map(usePolicies().data?.map((policy) => [policy.id, policy.isAbsence]));
  const asked = (requests.data ?? []).filter(
    ({ status, timeOffPolicyId }) => status !== "denied" && isAbsence.get(timeOffPolicyId) === true,
  );
  const absences = absencesIn(days, asked, byId, zone);
  const others = [...absences.keys()]
    .map((id) => byId.get(id)!) // absencesIn gives only known workers
    .filter(({ id, managerId }) => id !== worker.id && id !== workerId && managerId === worker.managerId);
  const marked = (text: string, some: readonly Absence[]) =>
    some.some(({ request }) => request.status === "approved") ? text : `${text} (${t("request.pending")})`;
  const nameOf = ({ id, displayName }: Worker) => marked(displayName, absences.get(id)!);
  const own = worker.id === workerId ? undefined : absences.get(workerId ?? "");
  const isSeen = requests.data !== undefined && byId.has(worker.managerId ?? "");
  return (
    <p className="small">
      {isSeen &&
        t("requests.others", {
          count: others.length,
          names: enumerated(others.map(nameOf)),
        })}{" "}
      {own &&
        t("requests.own", {
          when: enumerated(own.map((absence) => marked(whenText(absence), [absence]))),
        })}{" "}
      <TeamCalendar worker={worker} days={days} />
    </p>
  );
}
