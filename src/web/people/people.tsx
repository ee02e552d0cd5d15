// Everybody, to search.
import { useMemo } from "react";
import type { Worker } from "../../client/index.ts";
import { peopleCount } from "../data/format.ts";
import {
  type Directory,
  departmentOf,
  directoryOf,
  filterPeople,
  groupName,
  NO_WORKERS,
  STATUS_NAME,
  TYPE_NAME,
  workplaceOf,
} from "../data/people.ts";
import { useWorkers } from "../data/queries.ts";
import { usePeopleFilter, useSettings } from "../data/settings.ts";
import { Export, type Sheet, sheetWith } from "../parts/export.tsx";
import { PeopleTable } from "../parts/people-table.tsx";
import { PeopleSearch } from "../parts/search.tsx";
import { Empty, failureOf, Loading, useTitle } from "../parts/states.tsx";

function sheetOf(people: readonly Worker[], directory: Directory): Sheet {
  return sheetWith("people", people, {
    Person: ({ displayName }) => displayName,
    "Source id": ({ legacyId }) => legacyId,
    Position: ({ position }) => position,
    Department: departmentOf,
    Location: workplaceOf,
    Manager: (worker) => groupName(worker, "manager", directory),
    "Work email": ({ workEmail }) => workEmail,
    Status: ({ status }) => STATUS_NAME[status],
    Type: ({ type }) => TYPE_NAME[type],
    "First day": ({ startDate }) => startDate,
    "Last day": ({ endDate }) => endDate,
  });
}

export function People() {
  useTitle("People");
  const workers = useWorkers();
  const { search, change } = useSettings();
  const filter = usePeopleFilter(search);
  const directory = useMemo(() => directoryOf(workers.data ?? NO_WORKERS), [workers.data]);
  const found = useMemo(() => filterPeople(workers.data ?? NO_WORKERS, filter), [workers.data, filter]);

  return (
    <div className="column">
      <div className="head">
        <h1>People</h1>
        <Export sheet={() => sheetOf(found, directory)} path="/v1/workers" />
      </div>
      <PeopleSearch filter={filter} directory={directory} change={change} />
      {failureOf(workers) ??
        (workers.data === undefined ? (
          <Loading what="Loading people…" />
        ) : (
          <>
            <p className="summary soft small" role="status">
              {peopleCount(found.length)}
            </p>
            {found.length === 0 ? (
              <Empty>
                {workers.data.length === 0 ? "There are no people yet." : "Nobody matches this search."}
              </Empty>
            ) : (
              <PeopleTable people={found} />
            )}
          </>
        ))}
    </div>
  );
}
