// Everybody, to search.
import { useMemo } from "react";
import { filterPeople, STATUSES, TYPES } from "../data/people.ts";
import { useWorkers, useWorkersProgress } from "../data/queries.ts";
import { useListed, useSettings } from "../data/settings.ts";
import { PERSON_ROW_PX, PersonRow } from "../parts/person-row.tsx";
import { PeopleSearch } from "../parts/search.tsx";
import { Empty, failureOf, Loading, useTitle } from "../parts/states.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";

export function People() {
  useTitle("People");
  const workers = useWorkers();
  const soFar = useWorkersProgress();
  const { search, change } = useSettings();
  const name = search.get("name") ?? "";
  const statuses = useListed(search.get("status"), STATUSES);
  const types = useListed(search.get("type"), TYPES);
  const found = useMemo(
    () => filterPeople(workers.data ?? [], { name, statuses, types }),
    [workers.data, name, statuses, types],
  );

  return (
    <div className="column">
      <div className="head">
        <h1>People</h1>
      </div>
      <PeopleSearch filter={{ name, statuses, types }} change={change} />
      {failureOf(workers) ??
        (workers.data === undefined ? (
          <Loading what={soFar === 0 ? "Loading people…" : `Loading people… ${soFar} so far`} />
        ) : (
          <>
            <p className="summary soft small" role="status">
              {found.length === 1 ? "1 person" : `${found.length.toLocaleString("en-GB")} people`}
            </p>
            {found.length === 0 ? (
              <Empty>
                {workers.data.length === 0 ? "There are no people yet." : "Nobody matches this search."}
              </Empty>
            ) : (
              <VirtualList label="People" items={found} rowHeight={PERSON_ROW_PX} keyOf={({ id }) => id}>
                {(worker) => <PersonRow worker={worker} />}
              </VirtualList>
            )}
          </>
        ))}
    </div>
  );
}
