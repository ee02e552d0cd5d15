// Looking for people: a field to type in, and filters to choose from.
import { Combobox } from "@base-ui/react/combobox";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { Policy } from "../../client/index.ts";
import { type Day, formatDay } from "../../time/day.ts";
import { storedDay } from "../data/days.ts";
import {
  type Directory,
  fold,
  type PeopleFilter,
  STATUS_NAME,
  STATUSES,
  TYPE_NAME,
  TYPES,
} from "../data/people.ts";
import { useServer } from "../data/queries.ts";
import type { ChangeSettings } from "../data/settings.ts";

interface SearchProps {
  readonly filter: PeopleFilter;
  readonly directory: Directory;
  readonly change: ChangeSettings;
  /** The view's own filters: the settings that they change, how many of them are set, and their controls. */
  readonly own?: { readonly settings: readonly string[]; readonly set: number; readonly controls: ReactNode };
  /** What stands at the end of the bar. */
  readonly end?: ReactNode;
}

const SETTINGS = ["name", "status", "type", "department", "location", "manager"];
const STATUS_OPTIONS = STATUSES.map((value) => ({ value, label: STATUS_NAME[value] }));
const TYPE_OPTIONS = TYPES.map((value) => ({ value, label: TYPE_NAME[value] }));
const asOptions = (texts: readonly string[]) => texts.map((text) => ({ value: text, label: text }));

/** The bar above every list of people. The filters are behind a button, so that the list is near the top. */
export function PeopleSearch({ filter, directory, change, own, end }: SearchProps) {
  const { name, statuses, types, departments, locations, managers } = filter;
  const lists = [statuses, types, departments, locations, managers];
  const set = lists.filter(({ length }) => length > 0).length + (own?.set ?? 0);
  const { access } = useServer();
  const [isOpen, setIsOpen] = useState(set > 0);
  const id = useId();
  const clear = () =>
    change(Object.fromEntries([...SETTINGS, ...(own?.settings ?? [])].map((each) => [each, null])));
  return (
    <search className="search-bar">
      <div className="filters">
        <SearchField
          label="Search people"
          placeholder="Name, position or email"
          value={name}
          onChange={(text) => change({ name: text })}
        />
        <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)}>
          Filters{set > 0 && <span className="count">{set}</span>}
        </button>
        {(set > 0 || name !== "") && (
          <button
            type="button"
            className="quiet"
            onClick={({ currentTarget }) => {
              currentTarget.parentElement?.querySelector("input")?.focus(); // this button goes away
              clear();
            }}
          >
            Clear
          </button>
        )}
        {end}
      </div>
      <div className="filters" id={id} hidden={!isOpen}>
        {directory.departments.length > 0 && (
          <Choose
            label="Department"
            options={asOptions(directory.departments)}
            chosen={departments}
            onChange={(department) => change({ department })}
          />
        )}
        {directory.locations.length > 0 && (
          <Choose
            label="Location"
            options={asOptions(directory.locations)}
            chosen={locations}
            onChange={(location) => change({ location })}
          />
        )}
        {directory.managers.length > 0 && (
          <Choose
            label="Manager"
            options={directory.managers.map((worker) => ({ value: worker.id, label: worker.displayName }))}
            chosen={managers}
            onChange={(manager) => change({ manager })}
          />
        )}
        {own?.controls}
        {access !== "away" && (
          <>
            <Choose
              label="Status"
              options={STATUS_OPTIONS}
              chosen={statuses}
              onChange={(status) => change({ status })}
            />
            <Choose
              label="Type"
              options={TYPE_OPTIONS}
              chosen={types}
              onChange={(type) => change({ type })}
            />
          </>
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

/** A field that filters while one types. It holds its own text, so that typing never waits for the list behind it. */
export function SearchField({ label, placeholder, value, onChange }: FieldProps) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  const tell = useRef(onChange);
  tell.current = onChange;

  useEffect(() => {
    if (value === told.current) return;
    told.current = value; // changed from outside: by a link, or by the back button
    setText(value);
  }, [value]);

  useEffect(() => {
    if (text === told.current) return;
    const timer = setTimeout(() => {
      told.current = text;
      tell.current(text);
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

interface Option<T extends string> {
  readonly value: T;
  readonly label: string;
}

interface ChooseProps<T extends string> {
  readonly label: string;
  readonly options: readonly Option<T>[];
  readonly chosen: readonly T[];
  readonly onChange: (chosen: T[]) => void;
  /** What the button says of the choice; the chosen labels if not given. */
  readonly summary?: string;
}

interface PolicyFilterProps {
  readonly policies: readonly Policy[] | undefined;
  /** Ids. */
  readonly chosen: readonly string[];
  readonly change: ChangeSettings;
}

/** The filter by policy, which the address keeps as `policy`. */
export function PolicyFilter({ policies = [], chosen, change }: PolicyFilterProps) {
  return (
    <Choose
      label="Policy"
      options={policies.map(({ id, name }) => ({ value: id, label: name }))}
      chosen={chosen}
      onChange={(policy) => change({ policy })}
    />
  );
}

/** A filter: a button that opens a list in which several things can be ticked. */
export function Choose<T extends string>({ label, options, chosen, onChange, summary }: ChooseProps<T>) {
  const shown = summary ?? chosenLabels(options, chosen);
  return (
    <Combobox.Root
      multiple
      items={options}
      value={options.filter(({ value }) => chosen.includes(value))}
      onValueChange={(values: Option<T>[]) => onChange(values.map(({ value }) => value))}
      filter={(option: Option<T>, query: string) => fold(option.label).includes(fold(query))}
    >
      <Combobox.Trigger className="choose" aria-label={`${label}: ${shown}`}>
        <span className="soft">{label}</span>
        <bdi className="choose-value">{shown}</bdi>
        <Combobox.Icon className="choose-icon">
          <svg viewBox="0 0 12 12" width="10" height="10" aria-hidden="true">
            <path d="M2 4l4 4 4-4" />
          </svg>
        </Combobox.Icon>
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner className="popup-layer" sideOffset={6} align="start" collisionPadding={8}>
          <Combobox.Popup className="popup choices" aria-label={label}>
            {/* Also of a short list: the arrow keys work in this field alone. */}
            <Combobox.Input
              className="choices-search"
              placeholder={`Find a ${label.toLowerCase()}`}
              aria-label={`Find a ${label.toLowerCase()}`}
            />
            <Combobox.Empty className="choices-empty soft">Nothing is called that.</Combobox.Empty>
            <Combobox.List className="choices-list">
              {(option: Option<T>) => (
                <Combobox.Item key={option.value} value={option} className="choice">
                  <span className="tick" aria-hidden="true">
                    <Combobox.ItemIndicator>✓</Combobox.ItemIndicator>
                  </span>
                  <bdi>{option.label}</bdi>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

function chosenLabels<T extends string>(options: readonly Option<T>[], chosen: readonly T[]): string {
  if (chosen.length === 0) return "All";
  const first = options.find(({ value }) => value === chosen[0])?.label ?? "1";
  return chosen.length === 1 ? first : `${first} +${chosen.length - 1}`;
}

interface PickProps<T extends string> {
  readonly label: string;
  readonly options: readonly Option<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** One of several, with the browser's own list: on a phone it is the system's. */
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
  readonly day: Day;
  readonly onChange: (day: Day) => void;
}

/** The browser's own field for a day; what is half typed changes nothing. */
export function DayField({ label, day, onChange }: DayFieldProps) {
  return (
    <input
      type="date"
      className="day-field"
      aria-label={label}
      value={formatDay(day)}
      onChange={({ target }) => {
        const next = storedDay(target.value);
        if (next !== null) onChange(next);
      }}
    />
  );
}

interface SegmentsProps<T extends string> {
  readonly legend: string;
  readonly options: Readonly<Record<T, string>>;
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** One of a few, all in sight. */
export function Segments<T extends string>({ legend, options, value, onChange }: SegmentsProps<T>) {
  const values = Object.keys(options) as T[]; // the keys of `options`
  return (
    <fieldset className="segments">
      <legend className="hidden">{legend}</legend>
      {values.map((each) => (
        <button type="button" key={each} aria-pressed={value === each} onClick={() => onChange(each)}>
          {options[each]}
        </button>
      ))}
    </fieldset>
  );
}
