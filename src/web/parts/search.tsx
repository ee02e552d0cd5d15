// Looking for people: a field to type in, and filters to choose from.
import { Select } from "@base-ui/react/select";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { type PeopleFilter, STATUS_NAME, STATUSES, TYPE_NAME, TYPES } from "../data/people.ts";
import type { ChangeSettings } from "../data/settings.ts";

interface SearchProps {
  readonly filter: PeopleFilter;
  readonly change: ChangeSettings;
  /** Filters of the view's own; `own` are the settings they change, and whether any is set. */
  readonly children?: ReactNode;
  readonly own?: { readonly settings: readonly string[]; readonly isSet: boolean };
  /** What stands at the end of the bar. */
  readonly end?: ReactNode;
}

const STATUS_OPTIONS = STATUSES.map((value) => ({ value, label: STATUS_NAME[value] }));
const TYPE_OPTIONS = TYPES.map((value) => ({ value, label: TYPE_NAME[value] }));

/** The bar above every list of people. It changes the settings `name`, `status` and `type`. */
export function PeopleSearch({ filter, change, children, own, end }: SearchProps) {
  const { name, statuses, types } = filter;
  const isFiltered = name !== "" || statuses.length + types.length > 0 || own?.isSet === true;
  const clear = () =>
    change(
      Object.fromEntries(["name", "status", "type", ...(own?.settings ?? [])].map((each) => [each, null])),
    );
  return (
    <search className="filters">
      <SearchField
        label="Search people"
        placeholder="Name, position or email"
        value={name}
        onChange={(text) => change({ name: text })}
      />
      <Choose
        label="Status"
        options={STATUS_OPTIONS}
        chosen={statuses}
        onChange={(status) => change({ status })}
      />
      <Choose label="Type" options={TYPE_OPTIONS} chosen={types} onChange={(type) => change({ type })} />
      {children}
      {isFiltered && (
        <button type="button" className="quiet" onClick={clear}>
          Clear
        </button>
      )}
      {end}
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
}

/** A filter: a button that opens a list in which several things can be ticked. */
export function Choose<T extends string>({ label, options, chosen, onChange }: ChooseProps<T>) {
  return (
    <Select.Root
      multiple
      items={options}
      value={[...chosen]}
      onValueChange={(value) => onChange(value as T[])}
    >
      <Select.Trigger className="choose" aria-label={`${label}: ${summary(options, chosen)}`}>
        <span className="soft">{label}</span>
        <Select.Value className="choose-value">{() => summary(options, chosen)}</Select.Value>
        <Select.Icon className="choose-icon">
          <svg viewBox="0 0 12 12" width="10" height="10" aria-hidden="true">
            <path d="M2 4l4 4 4-4" />
          </svg>
        </Select.Icon>
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner className="popup-place" sideOffset={6} align="start" alignItemWithTrigger={false}>
          <Select.Popup className="popup choices">
            <Select.List aria-label={label}>
              {options.map((option) => (
                <Select.Item key={option.value} value={option.value} className="choice">
                  <span className="tick" aria-hidden="true">
                    <Select.ItemIndicator>✓</Select.ItemIndicator>
                  </span>
                  <Select.ItemText>{option.label}</Select.ItemText>
                </Select.Item>
              ))}
            </Select.List>
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}

function summary<T extends string>(options: readonly Option<T>[], chosen: readonly T[]): string {
  if (chosen.length === 0) return "All";
  const first = options.find(({ value }) => value === chosen[0])?.label ?? "1";
  return chosen.length === 1 ? first : `${first} +${chosen.length - 1}`;
}
