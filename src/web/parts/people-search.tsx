// Looking for people: by a text, and by what they are.
import { STATUS_NAME, STATUSES, TYPE_NAME, TYPES } from "../data/people.ts";
import { Choose } from "./choose.tsx";
import { SearchField } from "./search-field.tsx";

interface Props {
  readonly name: string;
  readonly statuses: readonly string[];
  readonly types: readonly string[];
  /** Called with the settings that change: `name`, `status` or `type`. */
  readonly change: (settings: Record<string, string | readonly string[] | null>) => void;
}

const STATUS_OPTIONS = STATUSES.map((value) => ({ value, label: STATUS_NAME[value] }));
const TYPE_OPTIONS = TYPES.map((value) => ({ value, label: TYPE_NAME[value] }));

export function PeopleSearch({ name, statuses, types, change }: Props) {
  return (
    <>
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
    </>
  );
}
