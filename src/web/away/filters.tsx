// Which people the timeline shows.
import type { Policy } from "../../client/index.ts";
import { STATUS_NAME, STATUSES, TYPE_NAME, TYPES } from "../data/people.ts";
import { Choose } from "../parts/choose.tsx";
import { SearchField } from "../parts/search-field.tsx";
import type { AwaySettings } from "./settings.ts";

interface Props {
  readonly settings: AwaySettings;
  readonly policies: readonly Policy[];
  readonly change: (settings: Record<string, string | readonly string[] | null>) => void;
}

export const STATUS_OPTIONS = STATUSES.map((value) => ({ value, label: STATUS_NAME[value] }));
export const TYPE_OPTIONS = TYPES.map((value) => ({ value, label: TYPE_NAME[value] }));

export function Filters({ settings, policies, change }: Props) {
  const { name, statuses, types, policies: chosen, everyone } = settings;
  const isFiltered = name !== "" || statuses.length + types.length + chosen.length > 0;
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
      <Choose
        label="Policy"
        options={policies.map((policy) => ({ value: policy.id, label: policy.name }))}
        chosen={chosen}
        onChange={(policy) => change({ policy })}
      />
      {isFiltered && (
        <button
          type="button"
          className="quiet"
          onClick={() => change({ name: null, status: null, type: null, policy: null })}
        >
          Clear
        </button>
      )}
      <fieldset className="segments filters-end">
        <legend className="hidden">People shown</legend>
        <button type="button" aria-pressed={!everyone} onClick={() => change({ who: null })}>
          Away
        </button>
        <button type="button" aria-pressed={everyone} onClick={() => change({ who: "everyone" })}>
          Everyone
        </button>
      </fieldset>
    </search>
  );
}
