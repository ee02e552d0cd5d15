// One person: who they are, what they have of each policy, and what they have asked for.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import type { Policy, TimeOffRequest, Worker } from "../../client/index.ts";
import { dayOfText, formatDay } from "../../time/day.ts";
import { absenceOf, REQUEST_STATUS_NAME, timesOf, whenText } from "../data/absences.ts";
import { amount, plainDay } from "../data/format.ts";
import { departmentOf, fullName, TYPE_NAME, workplaceOf } from "../data/people.ts";
import {
  balancesOf,
  useAssignmentsOf,
  useCompany,
  useLosses,
  usePolicies,
  useRequestsOf,
  useServer,
  useToday,
  useWorker,
} from "../data/queries.ts";
import { type TimeOffType, timeOffTypes } from "../data/time-off-types.ts";
import { Export, type Sheet, sheetWith } from "../parts/export.tsx";
import { Initials, PersonName, Status } from "../parts/people-table.tsx";
import { Empty, failureOf, Loading, useTitle } from "../parts/states.tsx";
import { reachOf } from "../session.ts";
import { Balances } from "./balances.tsx";

interface PersonProps {
  readonly id: string;
  /** What stands above the person. */
  readonly above: ReactNode;
}

export function Person({ id, above }: PersonProps) {
  const worker = useWorker(id);
  useTitle(worker.data?.displayName ?? "Person");
  return (
    <div className="column">
      {above}
      {failureOf(worker) ??
        (worker.data === undefined ? (
          <Loading what="Loading this person…" />
        ) : (
          <>
            <Heading worker={worker.data} />
            <TimeOff worker={worker.data} />
          </>
        ))}
    </div>
  );
}

function Heading({ worker }: { readonly worker: Worker }) {
  const { displayName, position, type, status, workEmail, email, timeZone, startDate, endDate, manager } =
    worker;
  const [department, location] = [departmentOf(worker), workplaceOf(worker)];
  const company = useCompany();
  const { access } = useServer();
  return (
    <header className="person-head">
      <Initials worker={worker} />
      <div>
        <h1>
          <bdi>{displayName}</bdi>
        </h1>
        <p className="soft">
          <bdi>{[fullName(worker), position, TYPE_NAME[type]].filter(Boolean).join(" · ")}</bdi>
        </p>
      </div>
      <Status status={status} />
      <dl className="facts across">
        <div>
          <dt>Email</dt>
          <dd>{workEmail ?? email}</dd>
        </div>
        {department !== null && (
          <div>
            <dt>Department</dt>
            <dd>{department}</dd>
          </div>
        )}
        {location !== null && (
          <div>
            <dt>Location</dt>
            <dd>{location}</dd>
          </div>
        )}
        {manager !== null && (
          <div>
            <dt>Manager</dt>
            <dd>
              {reachOf(access) === "company" ? (
                <PersonName worker={manager} />
              ) : (
                <bdi>{manager.displayName}</bdi>
              )}
            </dd>
          </div>
        )}
        <div>
          <dt>Time zone</dt>
          <dd>{timeZone ?? (company.data && `${company.data.timeZone ?? "UTC"} (none of their own)`)}</dd>
        </div>
        <div>
          <dt>First day</dt>
          <dd>{plainDay(dayOfText(startDate))}</dd>
        </div>
        {endDate !== null && (
          <div>
            <dt>Last day</dt>
            <dd>{plainDay(dayOfText(endDate))}</dd>
          </div>
        )}
      </dl>
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
  const losses = useLosses(useToday(), worker.id);
  const types = useMemo(() => timeOffTypes(policies.data ?? []), [policies.data]);
  const failure = failureOf(policies, assignments, balances, losses, requests, company);
  if (failure !== null) return failure;
  const lists = [policies.data, assignments.data, balances.data, losses.data, requests.data] as const;
  const [policyList, assignmentList, balanceList, lossList, requestList] = lists;
  if (!policyList || !assignmentList || !balanceList || !lossList || !requestList || !company.data)
    return <Loading what="Loading time off…" />;
  return (
    <>
      <section aria-labelledby="balances">
        <h2 id="balances">Balances</h2>
        {balanceList.length === 0 ? (
          <Empty>
            No policy applies to <bdi>{worker.displayName}</bdi>.
          </Empty>
        ) : (
          <Balances
            policies={policyList}
            assignments={assignmentList}
            balances={balanceList}
            losses={lossList}
            types={types}
          />
        )}
      </section>
      <section aria-labelledby="requests">
        <div className="head">
          <h2 id="requests">Requests</h2>
          {requestList.length > 0 && (
            <div className="head-end">
              <Export
                sheet={() => sheetOf(worker, policyList, requestList, company.data.timeZone)}
                path={`/v1/time_off/requests?workerIds=${worker.id}`}
                calendar={{ workers: [worker.id], policies: [] }}
              />
            </div>
          )}
        </div>
        {requestList.length === 0 ? (
          <Empty>
            <bdi>{worker.displayName}</bdi> has asked for nothing yet.
          </Empty>
        ) : (
          <Requests worker={worker} policies={policyList} requests={requestList} types={types} />
        )}
      </section>
    </>
  );
}

/** Days and times are the person's own, as on the page: in UTC, leave east of Greenwich begins a day early. */
function sheetOf(
  worker: Worker,
  policies: readonly Policy[],
  requests: readonly TimeOffRequest[],
  companyZone: string | null,
): Sheet {
  const policyOf = new Map(policies.map((policy) => [policy.id, policy]));
  const rows = requests.map((request) => {
    const absence = absenceOf(request, worker, companyZone);
    return { ...absence, times: timesOf(absence), policy: policyOf.get(request.timeOffPolicyId) };
  });
  return sheetWith(`requests-${worker.displayName.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-")}`, rows, {
    "First day": ({ firstDay }) => formatDay(firstDay),
    "Last day": ({ lastDay }) => formatDay(lastDay),
    Start: ({ times }) => times.start,
    End: ({ times }) => times.end,
    "Time zone": ({ zone }) => zone,
    Minutes: ({ request }) => request.requestedMinutes,
    Status: ({ request }) => REQUEST_STATUS_NAME[request.status],
    Kind: ({ policy }) => policy?.timeOffTypeName ?? null,
    Policy: ({ policy }) => policy?.name ?? null,
    Reason: ({ request }) => request.reason,
  });
}

interface RequestsProps {
  readonly worker: Worker;
  readonly policies: readonly Policy[];
  readonly requests: readonly TimeOffRequest[];
  readonly types: readonly TimeOffType[];
}

/** A time zone that a narrow window parts after its slash: `America/` and `Los_Angeles`. */
function breakable(zone: string) {
  const [area, ...places] = zone.split("/");
  if (places.length === 0) return zone;
  return (
    <>
      {area}/<wbr />
      {places.join("/")}
    </>
  );
}

/** What a person has asked for, the latest first. */
function Requests({ worker, policies, requests, types }: RequestsProps) {
  const companyZone = useCompany().data?.timeZone ?? null;
  const absences = useMemo(
    () =>
      [...requests]
        .sort((a, b) => b.startAt.localeCompare(a.startAt))
        .map((request) => absenceOf(request, worker, companyZone)),
    [requests, worker, companyZone],
  );
  return (
    <table className="requests">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Type</th>
          <th scope="col" className="figure">
            Amount
          </th>
          <th scope="col">Status</th>
          <th scope="col" className="wide-only">
            Reason
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
              <td>
                {whenText(absence)}
                {!absence.isWholeDays && <span className="soft small"> {breakable(zone)}</span>}
              </td>
              <td className="kind">
                <span className={`swatch ${type?.tone ?? "tone-none"}`} aria-hidden="true" />
                {type?.name ?? "Time off"}
              </td>
              <td className="figure">
                {amount(request.requestedMinutes, absence.isWholeDays ? (policy?.unit ?? "hour") : "hour")}
              </td>
              <td>
                <span className={`pill request-${request.status}`}>
                  {REQUEST_STATUS_NAME[request.status]}
                </span>
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
