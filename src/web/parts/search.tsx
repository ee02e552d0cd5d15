// Search for people: a text field, and filters.
import { lazy, type ReactNode, Suspense, useEffect, useId, useRef, useState } from "react";
import type { Policy } from "../../client/index.ts";
import { type Day, formatDay } from "../../time/day.ts";
import { type DayRange, storedDay } from "../data/days.ts";
import {
  type Directory,
  groupingName,
  type PeopleFilter,
  STATUSES,
  statusName,
  TYPES,
  typeName,
} from "../data/directory.ts";
import { enumerated, shortRange } from "../data/format.ts";
import { useServer } from "../data/queries.ts";
import { type ChangeSettings, useUnit } from "../data/settings.ts";
import { t } from "../texts/texts.ts";
import type { Option } from "./choose.tsx";

interface SearchProps {
  readonly filter: PeopleFilter;
  readonly directory: Directory;
  readonly change: ChangeSettings;
  /** Filters of the view itself: the names of their settings, the number of those set, and their controls. */
  readonly own?: { readonly settings: readonly string[]; readonly set: number; readonly controls: ReactNode };
  /** Content at the end of the bar. */
  readonly end?: ReactNode;
}

const SETTINGS = ["name", "status", "type", "department", "location", "manager"];
const asOptions = (texts: readonly string[]) => texts.map((text) => ({ value: text, label: text }));

/** The bar above every list of people. A button hides the filters, so that the list is near the top. */
export function PeopleSearch({ filter, directory, change, own, end }: SearchProps) {
  const { name, statuses, types, departments, locations, managers } = filter;
  const lists = [statuses, types, departments, locations, managers];
  const set = lists.filter(({ length }) => length > 0).length + (own?.set ?? 0);
  const { access } = useServer();
  const places = [
    { setting: "department", options: asOptions(directory.departments), chosen: departments },
    { setting: "location", options: asOptions(directory.locations), chosen: locations },
    {
      setting: "manager",
      options: directory.managers.map(({ id, displayName }) => ({ value: id, label: displayName })),
      chosen: managers,
    },
  ] as const;
  const [isOpen, setIsOpen] = useState(set > 0);
  const id = useId();
  const clear = () =>
    change(Object.fromEntries([...SETTINGS, ...(own?.settings ?? [])].map((each) => [each, null])));
  return (
    <search className="search-bar">
      <div className="filters">
        <SearchField
          label={t("search.people")}
          placeholder={t("search.placeholder")}
          value={name}
          onChange={(text) => change({ name: text })}
        />
        <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)}>
          {t("filters")}
          {set > 0 && <span className="count">{set}</span>}
        </button>
        {(set > 0 || name !== "") && (
          <button
            type="button"
            className="quiet"
            onClick={({ currentTarget }) => {
              currentTarget.parentElement?.querySelector("input")?.focus(); // this button disappears
              clear();
            }}
          >
            {t("filters.clear")}
          </button>
        )}
        {end}
      </div>
      <div className="filters" id={id} hidden={!isOpen}>
        {isOpen && (
          <Suspense fallback={null}>
            {places.map(({ setting, options, chosen }) =>
              options.length === 0 ? null : (
                <Choose
                  key={setting}
                  label={groupingName(setting)}
                  options={options}
                  chosen={chosen}
                  onChange={(next) => change({ [setting]: next })}
                />
              ),
            )}
            {own?.controls}
            {access !== "away" && (
              <>
                <Choose
                  label={t("field.employment")}
                  options={STATUSES.map((value) => ({ value, label: statusName(value) }))}
                  chosen={statuses}
                  onChange={(status) => change({ status })}
                />
                <Choose
                  label={t("field.type")}
                  options={TYPES.map((value) => ({ value, label: typeName(value) }))}
                  chosen={types}
                  onChange={(type) => change({ type })}
                />
              </>
            )}
          </Suspense>
        )}
      </div>
    </search>
  );
}

const QUIET_MS = 120;

interface FieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A field that filters during typing. It holds its text itself, so that typing never waits for the list. */
export function SearchField({ label, placeholder, value, onChange }: FieldProps) {
  const [text, setText] = useState(value);
  const reported = useRef(value);
  const report = useRef(onChange);
  report.current = onChange;

  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value; // a link or the back button changed the value
    setText(value);
  }, [value]);

  useEffect(() => {
    if (text === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = text;
      report.current(text);
    }, QUIET_MS);
    return () => clearTimeout(timer);
  }, [text]);

  return (
    <input
      type="search"
      className="search"
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}

/** The filters are loaded when opened. */
export const Choose = lazy(() => import("./choose.tsx"));

interface PolicyFilterProps {
  readonly policies: readonly Policy[] | undefined;
  /** Ids. */
  readonly chosen: readonly string[];
  readonly change: ChangeSettings;
}

/** The filter by policy; `policy` in the address. */
export function PolicyFilter({ policies = [], chosen, change }: PolicyFilterProps) {
  return (
    <Choose
      label={t("field.policy")}
      options={policies.map(({ id, name }) => ({ value: id, label: name }))}
      chosen={chosen}
      onChange={(policy) => change({ policy })}
    />
  );
}

interface PickProps<T extends string> {
  readonly label: string;
  readonly options: readonly Option<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** A choice of one option, with the browser's own list, which suits phones. */
export function Pick<T extends string>({ label, options, value, onChange }: PickProps<T>) {
  return (
    <label className="choose pick">
      <span className="soft">{label}</span>
      <select value={value} onChange={(event) => onChange(event.target.value as T)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}

interface DayFieldProps {
  readonly label: string;
  /** A short visible label before the field; none if undefined. */
  readonly before?: string;
  readonly day: Day;
  /** Days that can be chosen; by default all. */
  readonly within?: DayRange;
  readonly onChange: (day: Day) => void;
}

/** After a pause this long, a day is typed to the end. During typing, the field often has other days for a moment. */
const TYPED_MS = 1000;

/** The browser's own date field. A typed text stays until it is a valid day within `within`, or the field loses the focus. */
export function DayField({ label, before, day, within, onChange }: DayFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  /** The day that stayed when an invalid text was refused; null if none was. */
  const [kept, setKept] = useState<Day | null>(null);
  const isOutside = (other: Day) => within !== undefined && (other < within.first || other >= within.end);
  useEffect(() => {
    if (typed === null) return;
    const timer = setTimeout(() => setKept(day), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed, day]);
  const field = (
    <input
      type="date"
      className="day-field"
      aria-label={label}
      aria-invalid={typed !== null && kept === day}
      min={within && formatDay(within.first)}
      max={within && formatDay(within.end - 1)}
      value={typed ?? formatDay(day)}
      onChange={({ target }) => {
        const next = storedDay(target.value);
        const isDay = next !== null && !isOutside(next);
        setTyped(isDay ? null : target.value);
        if (!isDay) return;
        setKept(null);
        onChange(next);
      }}
      onBlur={() => {
        if (typed !== null) setKept(day);
        setTyped(null);
      }}
    />
  );
  return (
    <>
      {before === undefined ? (
        field
      ) : (
        <span>
          {before} {field}
        </span>
      )}
      {kept === day && within !== undefined && (
        <span role="alert">{t("day.within", { range: shortRange(within.first, within.end - 1) })}</span>
      )}
    </>
  );
}

interface SegmentsProps<T extends string> {
  readonly legend: string;
  readonly options: Readonly<Record<T, string>>;
  readonly value: T;
  /** Whether the chosen button takes the focus. Needed if a choice shows another view with new buttons. */
  readonly takesFocus?: boolean;
  readonly onChange: (value: T) => void;
}

/** A choice of one among a few options, all visible. */
export function Segments<T extends string>(props: SegmentsProps<T>) {
  const { legend, options, value, takesFocus = false, onChange } = props;
  const values = Object.keys(options) as T[]; // the keys of `options`
  return (
    <fieldset className="segments">
      <legend className="hidden">{legend}</legend>
      {values.map((each) => (
        <button
          type="button"
          key={each}
          aria-pressed={value === each}
          // biome-ignore lint/a11y/noAutofocus: this button replaces the one that was pressed
          autoFocus={takesFocus && value === each}
          onClick={() => onChange(each)}
        >
          {options[each]}
        </button>
      ))}
    </fieldset>
  );
}

/** Chooses between each policy's unit and hours, for all views. `hasBoth`: policies with days and policies with hours are shown. */
export function UnitSwitch({ hasBoth = false }: { readonly hasBoth?: boolean }) {
  const [unit, setUnit] = useUnit();
  const [days, hours] = [t("unit.day"), t("unit.hour")];
  return (
    <Segments
      legend={t("unit")}
      options={{ day: hasBoth ? enumerated([days, hours]) : days, hour: hours }}
      value={unit}
      onChange={setUnit}
    />
  );
}
