// One person: who they are, what they have of each policy, and what they have asked for.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import type { Worker } from "../../client/index.ts";
import { fullName, TYPE_NAME } from "../data/people.ts";
import { balancesOf, useAssignmentsOf, usePolicies, useRequestsOf, useWorker } from "../data/queries.ts";
import { useServer } from "../data/server.ts";
import { Initials, Status } from "../parts/person-row.tsx";
import { Empty, failureOf, Loading } from "../parts/states.tsx";
import { useTitle } from "../parts/title.ts";
import { timeOffTypes } from "../parts/tones.ts";
import { dayOf } from "../time/days.ts";
import { plainDay } from "../time/format.ts";
import { Balances } from "./balances.tsx";
import { Requests } from "./requests.tsx";

export function Person({ id }: { readonly id: string }) {
  const worker = useWorker(id);
  useTitle(worker.data?.displayName ?? "Person");
  return (
    <div className="column">
      <p className="crumb small">
        <Link href="/people">People</Link>
      </p>
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
  const { displayName, position, type, status, workEmail, email, timeZone, startDate, endDate } = worker;
  return (
    <header className="person-head">
      <Initials worker={worker} />
      <div>
        <h1>{displayName}</h1>
        <p className="soft">{[fullName(worker), position, TYPE_NAME[type]].filter(Boolean).join(" · ")}</p>
      </div>
      <Status status={status} />
      <dl className="facts across">
        <div>
          <dt>Email</dt>
          <dd>{workEmail ?? email}</dd>
        </div>
        <div>
          <dt>Time zone</dt>
          <dd>{timeZone ?? "Not known (UTC is taken)"}</dd>
        </div>
        <div>
          <dt>First day</dt>
          <dd>{plainDay(dayOf(startDate))}</dd>
        </div>
        {endDate !== null && (
          <div>
            <dt>Last day</dt>
            <dd>{plainDay(dayOf(endDate))}</dd>
          </div>
        )}
      </dl>
    </header>
  );
}

function TimeOff({ worker }: { readonly worker: Worker }) {
  const server = useServer();
  const policies = usePolicies();
  const assignments = useAssignmentsOf(worker.id);
  const balances = useQuery(balancesOf(server, worker.id));
  const requests = useRequestsOf(worker.id);
  const types = useMemo(() => timeOffTypes(policies.data ?? []), [policies.data]);
  const failure = failureOf(policies, assignments, balances, requests);
  if (failure !== null) return failure;
  const answers = [policies.data, assignments.data, balances.data, requests.data] as const;
  const [policyList, assignmentList, balanceList, requestList] = answers;
  if (!policyList || !assignmentList || !balanceList || !requestList)
    return <Loading what="Loading time off…" />;
  return (
    <>
      <section aria-labelledby="balances">
        <h2 id="balances">Balances</h2>
        {balanceList.length === 0 ? (
          <Empty>No policy applies to {worker.displayName}.</Empty>
        ) : (
          <Balances
            worker={worker}
            policies={policyList}
            assignments={assignmentList}
            balances={balanceList}
            types={types}
          />
        )}
      </section>
      <section aria-labelledby="requests">
        <h2 id="requests">Requests</h2>
        {requestList.length === 0 ? (
          <Empty>{worker.displayName} has asked for nothing yet.</Empty>
        ) : (
          <Requests worker={worker} policies={policyList} requests={requestList} types={types} />
        )}
      </section>
    </>
  );
}
