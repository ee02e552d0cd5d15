// Who is away: people by days.
import { useMemo } from "react";
import type { Policy } from "../../client/index.ts";
import { usePolicies, useWorkersProgress } from "../data/queries.ts";
import { Empty, failureOf, Loading } from "../parts/states.tsx";
import { useTitle } from "../parts/title.ts";
import { type TimeOffType, timeOffTypes } from "../parts/tones.ts";
import { dayRange, monthName } from "../time/format.ts";
import { Filters } from "./filters.tsx";
import { Head } from "./head.tsx";
import { Legend } from "./legend.tsx";
import { useAwayRows } from "./rows.ts";
import { type AwaySettings, useAwaySettings } from "./settings.ts";
import { Timeline } from "./timeline.tsx";

export function Away() {
  const controls = useAwaySettings();
  const { settings } = controls;
  const { span, scale } = settings;
  const title = scale === "month" ? monthName(span.first) : dayRange(span.first, span.end - 1);
  useTitle(`Who is away, ${title}`);

  const policies = usePolicies();
  const types = useMemo(() => timeOffTypes(policies.data ?? []), [policies.data]);
  const typeOf = useMemo(() => typesByPolicy(policies.data ?? [], types), [policies.data, types]);
  const { rows, isStale, workers, requests, holders, away } = useAwayRows(settings);

  return (
    <div className="away">
      <Head controls={controls} title={title} />
      <Filters settings={settings} policies={policies.data ?? []} change={controls.change} />
      {failureOf(workers, policies, requests, holders) ??
        (workers.data === undefined || policies.data === undefined || requests.data === undefined ? (
          <LoadingPeople />
        ) : (
          <>
            {rows.length > 0 && (
              <>
                <Summary settings={settings} shown={rows.length} isStale={isStale} />
                <Timeline settings={settings} rows={rows} away={away} typeOf={typeOf} isStale={isStale} />
              </>
            )}
            {rows.length === 0 &&
              (isStale ? (
                <LoadingPeople />
              ) : (
                <NobodyAway settings={settings} company={workers.data.length} />
              ))}
            <Legend types={types} />
          </>
        ))}
    </div>
  );
}

export type TypeOf = (policyId: string) => {
  readonly type: TimeOffType | null;
  readonly policy: Policy | null;
};

function typesByPolicy(policies: readonly Policy[], types: readonly TimeOffType[]): TypeOf {
  const known = new Map(policies.map((policy) => [policy.id, policy]));
  return (policyId) => {
    const policy = known.get(policyId) ?? null;
    return { policy, type: types.find(({ id }) => id === policy?.timeOffTypeId) ?? null };
  };
}

function LoadingPeople() {
  const soFar = useWorkersProgress();
  return (
    <Loading what={soFar === 0 ? "Loading people and their time off…" : `Loading people… ${soFar} so far`} />
  );
}

function Summary({ settings, shown, isStale }: { settings: AwaySettings; shown: number; isStale: boolean }) {
  const people = shown === 1 ? "1 person" : `${shown.toLocaleString("en-GB")} people`;
  const text = settings.everyone ? people : `${people} away, or asking to be`;
  return (
    <p className="summary soft small" role="status" aria-busy={isStale}>
      {text}
    </p>
  );
}

function NobodyAway({ settings, company }: { settings: AwaySettings; company: number }) {
  if (company === 0) return <Empty>There are no people yet.</Empty>;
  const filtered = [settings.statuses, settings.types, settings.policies, settings.name].some(
    ({ length }) => length > 0,
  );
  if (filtered) return <Empty>Nobody matches these filters in this {settings.scale}.</Empty>;
  return <Empty>Nobody is away in this {settings.scale}.</Empty>;
}
