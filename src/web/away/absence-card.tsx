// What there is to know about an absence, beside its bar.
import { Popover } from "@base-ui/react/popover";
import { Link } from "wouter";
import type { Policy, Worker } from "../../client/index.ts";
import { fullName } from "../data/people.ts";
import type { TimeOffType } from "../parts/tones.ts";
import { amount } from "../time/format.ts";
import { REQUEST_STATUS_NAME, viewerText, whenText } from "./absence-text.ts";
import type { Absence } from "./absences.ts";

export interface AbsencePayload {
  readonly absence: Absence;
  readonly worker: Worker;
  readonly type: TimeOffType | null;
  readonly policy: Policy | null;
}

export function AbsenceCard({ handle }: { readonly handle: Popover.Handle<AbsencePayload> }) {
  return (
    <Popover.Root handle={handle}>
      {({ payload }) => (
        <Popover.Portal>
          <Popover.Positioner className="popup-place" sideOffset={6} collisionPadding={12}>
            <Popover.Popup className="popup card">
              {payload !== undefined && <Details {...payload} />}
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      )}
    </Popover.Root>
  );
}

function Details({ absence, worker, type, policy }: AbsencePayload) {
  const { request, zone } = absence;
  const forViewer = viewerText(absence);
  const full = fullName(worker);
  return (
    <>
      <Popover.Title className="card-title">{worker.displayName}</Popover.Title>
      {full !== null && <p className="soft small">{full}</p>}
      <p className="card-type">
        <span
          className={`swatch ${type?.tone ?? "tone-none"} ${request.status === "pending" ? "pending" : ""}`}
          aria-hidden="true"
        />
        {type?.name ?? "Time off"} · {REQUEST_STATUS_NAME[request.status]}
      </p>
      <dl className="facts small">
        <dt>When</dt>
        <dd>{whenText(absence)}</dd>
        <dt>Time zone</dt>
        <dd>{zone}</dd>
        {forViewer !== null && (
          <>
            <dt>For you</dt>
            <dd>{forViewer}</dd>
          </>
        )}
        <dt>Counts</dt>
        <dd>{amount(request.requestedMinutes, absence.isWholeDays ? (policy?.unit ?? "hour") : "hour")}</dd>
        {policy !== null && (
          <>
            <dt>Policy</dt>
            <dd>
              <Link href={`/policies/${policy.id}`}>{policy.name}</Link>
            </dd>
          </>
        )}
        {request.reason !== null && (
          <>
            <dt>Reason</dt>
            <dd>{request.reason}</dd>
          </>
        )}
      </dl>
    </>
  );
}
