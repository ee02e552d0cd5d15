// One person: who they are, their balances, and their requests.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Policy, TimeOffRequest, Worker } from "../../client/index.ts";
import type { Day } from "../../time/day.ts";
import { absenceOf, dayColumns, statusText, whenText } from "../data/absences.ts";
import { departmentOf, longName, typeName, workplaceOf } from "../data/directory.ts";
import { amount, facts, plainText } from "../data/format.ts";
import {
  balancesOf,
  useAssignmentsOf,
  useCompany,
  useLosses,
  useMovementsUntil,
  usePolicies,
  useRequestsOf,
  useServer,
  useToday,
  useWorker,
} from "../data/queries.ts";
import { type TimeOffType, useTimeOffTypes } from "../data/time-off-types.ts";
import { Export, type Sheet, sheetWith } from "../parts/export.tsx";
import { Initials, PersonName, Status, Swatch } from "../parts/people-table.tsx";
import { Empty, Facts, failureOf, Loading, useTitle, viewFailureOf } from "../parts/states.tsx";
import { visibleWorkers } from "../session.ts";
import { rich } from "../texts/rich.tsx";
import { t } from "../texts/texts.ts";
import { Balances } from "./balances.tsx";
import { Passport } from "./passport.tsx";

const UTC = "UTC";

interface PersonProps {
  readonly id: string;
  /** Content above the person. */
  readonly above: ReactNode;
}

export function Person({ id, above }: PersonProps) {
  const worker = useWorker(id);
  const { knownOn } = useServer();
  useTitle(worker.data?.displayName ?? t("field.person"));
  return (
    <div className="column">
      {above}
      {viewFailureOf(worker) ??
        (worker.data === undefined ? (
          <Loading what={t("loading.person")} />
        ) : (
          <>
            <Heading worker={worker.data} />
            <TimeOff worker={worker.data} />
            {knownOn === null && <Passport id={id} />}
          </>
        ))}
    </div>
  );
}

function Heading({ worker }: { readonly worker: Worker }) {
  const { displayName, timeZone, latestRehireDate, endDate, manager } = worker;
  const company = useCompany();
  const { access } = useServer();
  // Some keys may see a manager's name, but not the manager.
  const hasLink = manager !== null && visibleWorkers(access) === "company";
  const seen = useWorker(manager?.id ?? "", hasLink).data;
  return (
    <header className="person-head">
      <Initials worker={worker} />
      <div>
        <h1>
          <bdi>{displayName}</bdi>
        </h1>
        <p className="soft">
          <bdi>{facts(longName(worker), worker.position, typeName(worker.type))}</bdi>
        </p>
      </div>
      <Status status={worker.status} />
      <Facts
        className="across"
        facts={{
          [t("field.email")]: worker.workEmail ?? worker.email,
          [t("field.department")]: departmentOf(worker),
          [t("field.location")]: workplaceOf(worker),
          [t("field.manager")]: seen ? (
            <PersonName worker={seen} />
          ) : (
            manager && <bdi>{manager.displayName}</bdi>
          ),
          [t("field.timeZone")]:
            timeZone ?? (company.data && t("person.companyZone", { zone: company.data.timeZone ?? UTC })),
          [t("field.firstDay")]: plainText(worker.startDate),
          [t("field.rehired")]: latestRehireDate && plainText(latestRehireDate),
          [t("field.lastDay")]: endDate && plainText(endDate),
        }}
      />
    </header>
  );
}

function TimeOff({ worker }: { readonly worker: Worker }) {
  const server = useServer();
  const company = useCompany();
  const policies = usePolicies();
  const assignments = useAssignmentsOf(worker.id);
  const balances = useQuery(balancesOf(server, worker.id));
  const requests = useRequestsOf(worker.id);
  const today = useToday();
  const losses = useLosses(today, {}, worker.id);
  const earned = useMovementsUntil(today, worker.id);
  const types = useTimeOffTypes();
  const failure = failureOf(policies, assignments, balances, losses, earned, requests, company);
  if (failure !== null) return failure;
  const lists = [policies.data, assignments.data, balances.data, losses.data, requests.data] as const;
  const [policyList, assignmentList, balanceList, lossList, requestList] = lists;
  if (
    !policyList ||
    !assignmentList ||
    !balanceList ||
    !lossList ||
    !requestList ||
    !company.data ||
    !earned.data
  )
    return <Loading what={t("loading.timeOff")} />;
  return (
    <>
      <section aria-labelledby="balances">
        <h2 id="balances">{t("view.balances")}</h2>
        {balanceList.length === 0 ? (
          <Empty>{rich("person.noPolicy", { name: <bdi>{worker.displayName}</bdi> })}</Empty>
        ) : (
          <Balances
            policies={policyList}
            assignments={assignmentList}
            balances={balanceList}
            losses={lossList}
            movements={earned.data}
            types={types}
            endDate={worker.endDate}
            absences={requestList
              .filter(({ status }) => status !== "denied")
              .map((request) => absenceOf(request, worker, company.data.timeZone))}
          />
        )}
      </section>
      <section aria-labelledby="requests">
        <div className="head">
          <h2 id="requests">{t("view.requests")}</h2>
          {requestList.length > 0 && (
            <div className="head-end">
              <Export
                sheet={() => sheetOf(worker, policyList, requestList, company.data.timeZone, today)}
                path={`/v1/time_off/requests?workerIds=${worker.id}`}
                calendar={{ workers: [worker.id], policies: [] }}
              />
            </div>
          )}
        </div>
        {requestList.length === 0 ? (
          <Empty>{rich("person.noRequests", { name: <bdi>{worker.displayName}</bdi> })}</Empty>
        ) : (
          <Requests worker={worker} policies={policyList} requests={requestList} types={types} />
        )}
      </section>
    </>
  );
}

function sheetOf(
  worker: Worker,
  policies: readonly Policy[],
  requests: readonly TimeOffRequest[],
  companyZone: string | null,
  today: Day,
): Sheet {
  const policyOf = new Map(policies.map((policy) => [policy.id, policy]));
  const rows = requests.map((request) => ({
    ...absenceOf(request, worker, companyZone),
    policy: policyOf.get(request.timeOffPolicyId),
  }));
  return sheetWith(`${t("view.requests")} ${worker.displayName}`, rows, {
    ...dayColumns(),
    [t("field.minutes")]: ({ request }) => request.requestedMinutes,
    [t("field.status")]: (absence) => statusText(absence, today),
    [t("field.kind")]: ({ policy }) => policy?.timeOffTypeName ?? null,
    [t("field.policy")]: ({ policy }) => policy?.name ?? null,
    [t("field.reason")]: ({ request }) => request.reason,
  });
}

interface RequestsProps {
  readonly worker: Worker;
  readonly policies: readonly Policy[];
  readonly requests: readonly TimeOffRequest[];
  readonly types: readonly TimeOffType[];
}

/** A person's requests, latest first. */
function Requests({ worker, policies, requests, types }: RequestsProps) {
  const companyZone = useCompany().data?.timeZone ?? null;
  const today = useToday();
  const absences = requests
    .toSorted((a, b) => b.startAt.localeCompare(a.startAt))
    .map((request) => absenceOf(request, worker, companyZone));
  return (
    <table className="requests stacked sums" aria-labelledby="requests">
      <thead>
        <tr>
          <th scope="col">{t("field.when")}</th>
          <th scope="col">{t("field.kind")}</th>
          <th scope="col" className="figure">
            {t("field.amount")}
          </th>
          <th scope="col">{t("field.status")}</th>
          <th scope="col" className="wide-only">
            {t("field.reason")}
          </th>
        </tr>
      </thead>
      <tbody>
        {absences.map((absence) => {
          const { request, zone } = absence;
          const policy = policies.find(({ id }) => id === request.timeOffPolicyId);
          const type = types.find(({ id }) => id === policy?.timeOffTypeId);
          return (
            <tr key={request.id}>
              <th scope="row">
                {whenText(absence)}
                {!absence.isWholeDays && (
                  <span className="soft small"> {zone.replaceAll("/", "/\u200b")}</span>
                )}
                <bdi className="narrow-only soft small">{request.reason}</bdi>
              </th>
              <td className="kind">
                <Swatch type={type} />
                {type?.name ?? t("timeOff")}
              </td>
              <td className="figure">
                {amount(request.requestedMinutes, absence.isWholeDays ? (policy?.unit ?? "hour") : "hour")}
              </td>
              <td>
                <span className={`pill request-${request.status}`}>{statusText(absence, today)}</span>
              </td>
              <td className="wide-only soft reason">
                <bdi>{request.reason}</bdi>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
