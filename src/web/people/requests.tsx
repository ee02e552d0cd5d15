// What a person has asked for, the latest first.
import { useMemo } from "react";
import type { Policy, TimeOffRequest, Worker } from "../../client/index.ts";
import { REQUEST_STATUS_NAME, whenText } from "../away/absence-text.ts";
import { absenceOf } from "../away/absences.ts";
import type { TimeOffType } from "../parts/tones.ts";
import { amount } from "../time/format.ts";

interface Props {
  readonly worker: Worker;
  readonly policies: readonly Policy[];
  readonly requests: readonly TimeOffRequest[];
  readonly types: readonly TimeOffType[];
}

export function Requests({ worker, policies, requests, types }: Props) {
  const absences = useMemo(
    () =>
      [...requests]
        .sort((a, b) => b.startAt.localeCompare(a.startAt))
        .map((request) => absenceOf(request, worker)),
    [requests, worker],
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
                {!absence.isWholeDays && <span className="soft small"> {zone}</span>}
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
              <td className="wide-only soft">{request.reason}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
