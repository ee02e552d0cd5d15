// Who is away: today, next, and day by day.
import { lazy, Suspense, useId, useMemo } from "react";
import { type Day, formatDay } from "../../time/day.ts";
import { absenceOf, countText, dayColumns, requestStatusName, statusText } from "../data/absences.ts";
import { type Directory, departmentOf, groupingName, groupingsOf, workplaceOf } from "../data/directory.ts";
import {
  dayRange,
  enumerated,
  facts,
  monthName,
  number,
  peopleCount,
  percent,
  shortDay,
} from "../data/format.ts";
import {
  type HolidaysOf,
  holidayNames,
  isWholeHoliday,
  useCompany,
  useFirstAway,
  useHolidays,
  usePolicies,
  useServer,
  useToday,
} from "../data/queries.ts";
import { listPath, useSettings } from "../data/settings.ts";
import { type TimeOffType, type TypeOf, typesByPolicy, useTimeOffTypes } from "../data/time-off-types.ts";
import { Export, type Sheet, sheetWith } from "../parts/export.tsx";
import { Swatch } from "../parts/people-table.tsx";
import { Choose, DayField, PeopleSearch, Pick, PolicyFilter, Segments } from "../parts/search.tsx";
import { Empty, failureOf, isLoaded, Loading, NoPeople, useTitle } from "../parts/states.tsx";
import { visibleWorkers } from "../session.ts";
import { t } from "../texts/texts.ts";
import {
  type AwayPeople,
  type AwayRow,
  type AwayRows,
  type DayCounts,
  isThin,
  useAwayLists,
  useAwayPeople,
  useAwayRows,
} from "./away-rows.ts";
import { AwayLists } from "./lists.tsx";
import { type AwaySettings, LEAST, leastText, type Order, useAwaySettings } from "./settings.ts";
import { YearOfAway } from "./year.tsx";

// The calendar's code is loaded later: on a slow network, the lists above it should come first.
const Timeline = lazy(async () => ({ default: (await import("./timeline.tsx")).Timeline }));

/** Asks for a few people first, and then for everybody. On a slow network, somebody is shown soon. */
export function Away({ title }: { readonly title: string }) {
  useTitle(title);
  usePolicies();
  useCompany();
  return useFirstAway(useToday()).isLoading ? <LoadingPeople /> : <Everybody title={title} />;
}

function Everybody({ title }: { readonly title: string }) {
  const controls = useAwaySettings();
  const { settings } = controls;
  const people = useAwayPeople(settings);
  const { company, workers, policies, holders } = people;
  const lists = useAwayLists(settings, people);
  const holidaysOf = useHolidays(settings.counted);
  const rows = useAwayRows(settings, people, holidaysOf);
  const isStale = rows.requests.isPlaceholderData || people.isStale;
  const types = useTimeOffTypes();
  const typeOf = useMemo(() => typesByPolicy(policies.data ?? [], types), [policies.data, types]);
  const isLoading = [company, workers, policies, lists.requests].some(({ data }) => data === undefined);

  return (
    <div className="away">
      <Head title={title} controls={controls} people={people} typeOf={typeOf} rows={rows} />
      <Filters controls={controls} people={people} types={types} />
      {failureOf(workers, policies, lists.requests, lists.later, holders, company) ??
        (isLoading ? (
          <FirstAway today={settings.today} typeOf={typeOf} companyZone={people.companyZone} />
        ) : workers.data?.length === 0 ? (
          <NoPeople />
        ) : (
          <>
            <AwayLists
              settings={settings}
              change={controls.change}
              now={lists.now}
              next={lists.next}
              typeOf={typeOf}
            />
            <Calendar {...{ settings, rows, isStale, typeOf, types, holidaysOf }} />
          </>
        ))}
    </div>
  );
}

interface FirstProps {
  readonly today: Day;
  readonly typeOf: TypeOf;
  readonly companyZone: string | null;
}

/** A few of the people who are away today, shown while everybody is loading. */
function FirstAway({ today, typeOf, companyZone }: FirstProps) {
  const { data = [] } = useFirstAway(today);
  const away = data.filter(({ worker, request }) => {
    const { firstDay, lastDay } = absenceOf(request, worker, companyZone);
    return firstDay <= today && lastDay >= today && typeOf(request.timeOffPolicyId).policy?.isAbsence;
  });
  return (
    <>
      {away.length > 0 && (
        <p className="first-away">
          {t("away.first", { names: enumerated(away.map(({ worker }) => worker.displayName)) })}
        </p>
      )}
      <LoadingPeople />
    </>
  );
}

const LoadingPeople = () => <Loading what={t("loading.away")} />;

interface PartProps {
  readonly controls: ReturnType<typeof useAwaySettings>;
  readonly people: AwayPeople;
  readonly types: readonly TimeOffType[];
}

const REQUEST_OPTIONS = ["approved", "pending"] as const;

function Filters({ controls: { settings, change }, people, types }: PartProps) {
  const { directory, policies } = people;
  const { policies: chosen, without, including, requestStatuses, order, least } = settings;
  const { search } = useSettings();
  const [fieldId, leastId] = [useId(), useId()];
  const kinds = types.map(({ id, name }) => ({ value: id, label: name }));
  const absences = new Set(
    policies.data?.flatMap((policy) => (policy.isAbsence ? [policy.timeOffTypeId] : [])),
  );
  const shown = types.filter(({ id }) => (absences.has(id) ? !without.includes(id) : including.includes(id)));
  const orders = [
    { value: "next" as Order, label: t("order.next") },
    { value: "name" as Order, label: t("order.name") },
    ...groupingsOf(directory).map((value) => ({ value, label: groupingName(value) })),
  ];
  const { access } = useServer();
  const controls = access !== "away" && (
    <>
      <Choose
        label={t("field.kind")}
        options={kinds}
        chosen={shown.map(({ id }) => id)}
        onChange={(next) =>
          change({
            without: [...absences].filter((id) => !next.includes(id)),
            with: next.filter((id) => !absences.has(id)),
          })
        }
        summary={kindsShown(types, shown)}
      />
      <PolicyFilter policies={policies.data} chosen={chosen} change={change} />
      <Choose
        label={t("field.request")}
        options={REQUEST_OPTIONS.map((value) => ({ value, label: requestStatusName(value) }))}
        chosen={requestStatuses}
        onChange={(request) => change({ request })}
      />
    </>
  );
  const set = [chosen, [...without, ...including], requestStatuses].filter(({ length }) => length > 0).length;
  return (
    <PeopleSearch
      filter={settings.filter}
      directory={directory}
      change={change}
      own={{ settings: ["policy", "without", "with", "request"], set, controls }}
      end={
        <>
          <div className="choose pick">
            <label className="soft" htmlFor={fieldId}>
              {t("away.least")}
            </label>
            <input
              id={fieldId}
              className="least"
              placeholder={percent(least.value)}
              aria-describedby={leastId}
              aria-invalid={!LEAST.test(search.get("least") ?? "0")}
              value={search.get("least") ?? ""}
              onChange={({ target }) => change({ least: target.value })}
            />
            <span id={leastId}>
              {least.isShare ? t("away.share", { share: leastText(least) }) : leastText(least)}
            </span>
          </div>
          <Pick
            label={t("order.by")}
            options={orders}
            value={order}
            onChange={(next) => change({ order: next === "next" ? null : next })}
          />
        </>
      }
    />
  );
}

function kindsShown(types: readonly TimeOffType[], shown: readonly TimeOffType[]): string {
  const left = types.filter((type) => !shown.includes(type));
  if (left.length === 0) return t("choose.all");
  return left.length === 1
    ? t("choose.allBut", { name: left[0]!.name })
    : t("choose.allButSome", { count: number(left.length) });
}

interface HeadProps extends Omit<PartProps, "types"> {
  readonly title: string;
  readonly rows: AwayRows;
  readonly typeOf: TypeOf;
}

function Head({ title, controls, people, rows: { rows, total, requests }, typeOf }: HeadProps) {
  const { settings } = controls;
  const { range, scale, day, everyone } = settings;
  const { access } = useServer();
  const isBusy = requests.isPlaceholderData || people.isStale;
  const isComplete = !isBusy && [requests, people.workers].every(isLoaded);
  const hasFilter = Object.values(settings.filter).some(({ length }) => length > 0);
  const isTeam = visibleWorkers(access) !== "company"; // such a viewer cannot make a feed of everybody
  const workers = hasFilter || isTeam ? people.people.map(({ id }) => id) : [];
  // A feed without workers would show everybody.
  const calendar =
    (hasFilter || isTeam) && workers.length === 0 ? undefined : { workers, policies: settings.policies };
  return (
    <div className="head">
      <h1>
        {title}{" "}
        <span className="head-when">
          {scale === "month" ? monthName(range.first) : dayRange(range.first, range.end - 1)}
        </span>
      </h1>
      <p className="soft small" role="status">
        {isComplete && facts(everyone && peopleCount(rows.length), countText(total))}
      </p>
      <div className="head-end">
        <div className="stepper">
          <button type="button" onClick={controls.back} aria-label={t(`previous.${scale}`)}>
            ‹
          </button>
          <button type="button" onClick={controls.goToday}>
            {t("day.today")}
          </button>
          <button type="button" onClick={controls.forward} aria-label={t(`next.${scale}`)}>
            ›
          </button>
          <DayField label={t("day.show")} day={day} onChange={controls.goTo} />
        </div>
        <Segments
          legend={t("scale")}
          options={{ week: t("scale.week"), month: t("scale.month"), year: t("scale.year") }}
          value={scale}
          onChange={controls.showScale}
        />
        <Segments
          legend={t("who")}
          options={{ away: t("who.away"), everyone: t("who.everyone") }}
          value={everyone ? "everyone" : "away"}
          onChange={(who) => controls.change({ who: who === "away" ? null : who })}
        />
        {access !== "away" && (
          <Export
            isComplete={isComplete}
            sheet={() => sheetOf(settings, rows, typeOf)}
            path={requestsPath(settings, people.directory)}
            calendar={calendar}
          />
        )}
      </div>
    </div>
  );
}

interface CalendarProps {
  readonly settings: AwaySettings;
  readonly rows: AwayRows;
  readonly isStale: boolean;
  readonly typeOf: TypeOf;
  readonly types: readonly TimeOffType[];
  readonly holidaysOf: HolidaysOf;
}

function Calendar({
  settings,
  rows: { requests, rows, groups, days },
  isStale,
  typeOf,
  types,
  holidaysOf,
}: CalendarProps) {
  return (
    <section className="calendar" aria-label={t("calendar")}>
      {failureOf(requests) ??
        (settings.scale === "year" ? (
          isStale || requests.data === undefined ? (
            <LoadingPeople />
          ) : (
            <YearOfAway settings={settings} counts={days} />
          )
        ) : rows.length > 0 ? (
          <Suspense fallback={<LoadingPeople />}>
            <Timeline
              key={settings.order}
              settings={settings}
              groups={groups}
              people={rows.length}
              counts={days}
              holidaysOf={holidaysOf}
              typeOf={typeOf}
              isStale={isStale}
            />
          </Suspense>
        ) : isStale || requests.data === undefined ? (
          <LoadingPeople />
        ) : (
          <Empty>{t(isFiltered(settings) ? "away.noMatch" : "away.nobody", { scale: settings.scale })}</Empty>
        ))}
      <Legend types={types} days={days} settings={settings} />
    </section>
  );
}

/** The absences in the calendar, one row each. */
function sheetOf({ range, today }: AwaySettings, rows: readonly AwayRow[], typeOf: TypeOf): Sheet {
  const absences = rows.flatMap(({ worker, absences }) =>
    absences.map((absence) => ({ ...absence, worker })),
  );
  return sheetWith(`${t("view.away")} ${formatDay(range.first)} ${formatDay(range.end - 1)}`, absences, {
    [t("field.person")]: ({ worker }) => worker.displayName,
    [t("field.department")]: ({ worker }) => departmentOf(worker),
    [t("field.location")]: ({ worker }) => workplaceOf(worker),
    [t("field.kind")]: ({ request }) => typeOf(request.timeOffPolicyId).type?.name ?? null,
    [t("field.status")]: (absence) => statusText(absence, today),
    ...dayColumns(),
  });
}

/** The path of the requests, with an extra day on either side: the calendar has local days, and the API instants in UTC. */
function requestsPath(settings: AwaySettings, directory: Directory): string | null {
  const { range, filter, policies, without, requestStatuses } = settings;
  if (without.length > 0) return null;
  return listPath("/v1/time_off/requests", filter, directory, {
    startsBefore: formatDay(range.end + 1),
    endsOnOrAfter: formatDay(range.first - 1),
    statuses: requestStatuses.length > 0 ? requestStatuses : ["approved", "pending"],
    policyIds: policies,
  });
}

function isFiltered({ filter, policies, without, including, requestStatuses }: AwaySettings): boolean {
  return [...Object.values(filter), policies, without, including, requestStatuses].some(
    ({ length }) => length > 0,
  );
}

interface LegendProps {
  readonly types: readonly TimeOffType[];
  readonly days: DayCounts;
  readonly settings: AwaySettings;
}

/** Explains the colours and patterns of the calendar. A year shows shades instead of types of leave. */
function Legend({ types, days, settings: { range, scale, least } }: LegendProps) {
  const { access } = useServer();
  const shown = [...days].filter(([day]) => day < range.end);
  return (
    <ul className="legend small" aria-label={t("legend")}>
      {scale === "year" ? (
        <li>
          <span className="swatch shade heat-2" aria-hidden="true" />
          <span className="swatch shade heat-5" aria-hidden="true" />
          {t("year.heat")}
        </li>
      ) : (
        types.map((type) => (
          <li key={type.id}>
            <Swatch type={type} />
            {type.name}
          </li>
        ))
      )}
      {scale !== "year" && access !== "away" && (
        <li>
          <span className="swatch tone-none pending" aria-hidden="true" />
          {t("request.pending")}
        </li>
      )}
      {shown.some(([day, count]) => isThin(day, count, least)) && (
        <li>
          <span className="swatch thin" aria-hidden="true" />
          {t("forecast", { least: leastText(least) })}
        </li>
      )}
      {shown.map(
        ([day, { holidays }]) =>
          holidays.size > 0 && (
            <li key={day}>
              <span
                className={isWholeHoliday([...holidays]) ? "swatch holiday" : "swatch part-holiday"}
                aria-hidden="true"
              />
              {t("fact", { name: shortDay(day), value: holidayNames(holidays) })}
            </li>
          ),
      )}
      <li className="soft">{t("away.zones")}</li>
    </ul>
  );
}
