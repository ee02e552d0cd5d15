// Who is away: people by days.
import { useMemo } from "react";
import type { Policy } from "../../client/index.ts";
import { dayRange, monthName } from "../data/format.ts";
import { usePolicies, useWorkersProgress } from "../data/queries.ts";
import type { ChangeSettings } from "../data/settings.ts";
import { type TimeOffType, timeOffTypes, typesByPolicy } from "../data/time-off-types.ts";
import { Choose, PeopleSearch } from "../parts/search.tsx";
import { Empty, failureOf, Loading, useTitle } from "../parts/states.tsx";
import { type AwaySettings, useAwayRows, useAwaySettings } from "./rows.ts";
import { Timeline } from "./timeline.tsx";

export function Away() {
  const controls = useAwaySettings();
  const { settings } = controls;
  const { range, scale } = settings;
  const title = scale === "month" ? monthName(range.first) : dayRange(range.first, range.end - 1);
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

function LoadingPeople() {
  const soFar = useWorkersProgress();
  return (
    <Loading what={soFar === 0 ? "Loading people and their time off…" : `Loading people… ${soFar} so far`} />
  );
}

function Summary({ settings, shown, isStale }: { settings: AwaySettings; shown: number; isStale: boolean }) {
  const people = shown === 1 ? "1 person" : `${shown.toLocaleString("en-GB")} people`;
  const text = settings.everyone ? people : `${people} away or with a pending request`;
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

interface HeadProps {
  readonly controls: ReturnType<typeof useAwaySettings>;
  /** The days that are shown. */
  readonly title: string;
}

/** The title, and the buttons to other days. */
function Head({ controls, title }: HeadProps) {
  const { scale } = controls.settings;
  return (
    <div className="head">
      <h1>
        Who is away <span className="head-when">{title}</span>
      </h1>
      <div className="stepper">
        <button type="button" onClick={controls.back} aria-label={`Previous ${scale}`}>
          ‹
        </button>
        <button type="button" onClick={controls.goToday}>
          Today
        </button>
        <button type="button" onClick={controls.forward} aria-label={`Next ${scale}`}>
          ›
        </button>
      </div>
      <fieldset className="segments">
        <legend className="hidden">Scale</legend>
        {(["week", "month"] as const).map((each) => (
          <button
            type="button"
            key={each}
            aria-pressed={scale === each}
            onClick={() => controls.showScale(each)}
          >
            {each === "week" ? "Week" : "Month"}
          </button>
        ))}
      </fieldset>
    </div>
  );
}

interface FiltersProps {
  readonly settings: AwaySettings;
  readonly policies: readonly Policy[];
  readonly change: ChangeSettings;
}

function Filters({ settings, policies, change }: FiltersProps) {
  const { policies: chosen, everyone } = settings;
  const shown = (
    <fieldset className="segments filters-end">
      <legend className="hidden">People shown</legend>
      <button type="button" aria-pressed={!everyone} onClick={() => change({ who: null })}>
        Away
      </button>
      <button type="button" aria-pressed={everyone} onClick={() => change({ who: "everyone" })}>
        Everyone
      </button>
    </fieldset>
  );
  return (
    <PeopleSearch
      filter={settings}
      change={change}
      own={{ settings: ["policy"], isSet: chosen.length > 0 }}
      end={shown}
    >
      <Choose
        label="Policy"
        options={policies.map((policy) => ({ value: policy.id, label: policy.name }))}
        chosen={chosen}
        onChange={(policy) => change({ policy })}
      />
    </PeopleSearch>
  );
}

/** What the colours and patterns of the timeline mean. */
function Legend({ types }: { readonly types: readonly TimeOffType[] }) {
  return (
    <ul className="legend small" aria-label="Legend">
      {types.map(({ id, name, tone }) => (
        <li key={id}>
          <span className={`swatch ${tone}`} aria-hidden="true" />
          {name}
        </li>
      ))}
      <li>
        <span className="swatch tone-none pending" aria-hidden="true" />
        Pending
      </li>
      <li className="soft">Days and times are each person’s own, in their time zone.</li>
    </ul>
  );
}
