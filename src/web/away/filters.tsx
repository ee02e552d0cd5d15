// Which people the timeline shows.
import type { Policy } from "../../client/index.ts";
import { Choose } from "../parts/choose.tsx";
import { PeopleSearch } from "../parts/people-search.tsx";
import type { AwaySettings } from "./settings.ts";

interface Props {
  readonly settings: AwaySettings;
  readonly policies: readonly Policy[];
  readonly change: (settings: Record<string, string | readonly string[] | null>) => void;
}

export function Filters({ settings, policies, change }: Props) {
  const { name, statuses, types, policies: chosen, everyone } = settings;
  const isFiltered = name !== "" || statuses.length + types.length + chosen.length > 0;
  return (
    <search className="filters">
      <PeopleSearch name={name} statuses={statuses} types={types} change={change} />
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
