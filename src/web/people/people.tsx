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
import { useWorkers, useWorkersProgress } from "../data/queries.ts";
import { usePeopleFilter, useSettings } from "../data/settings.ts";
import { Export, type Sheet } from "../parts/export.tsx";
import { PeopleList } from "../parts/people-list.tsx";
import { PeopleSearch } from "../parts/search.tsx";
import { Empty, failureOf, Loading, useTitle } from "../parts/states.tsx";

function sheetOf(people: readonly Worker[], directory: Directory): Sheet {
  return {
    name: "people",
    header: [
      "Person",
      "Source id",
      "Position",
      "Department",
      "Location",
      "Manager",
      "Work email",
      "Status",
      "Type",
      "First day",
      "Last day",
    ],
    rows: people.map((worker) => [
      worker.displayName,
      worker.legacyId,
      worker.position,
      departmentOf(worker),
      workplaceOf(worker),
      groupName(worker, "manager", directory),
      worker.workEmail,
      STATUS_NAME[worker.status],
      TYPE_NAME[worker.type],
      worker.startDate,
      worker.endDate,
    ]),
  };
}

export function People() {
  useTitle("People");
  const workers = useWorkers();
  const soFar = useWorkersProgress();
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
          <Loading what={soFar === 0 ? "Loading people…" : `Loading people… ${soFar} so far`} />
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
              <PeopleList label="People" people={found} />
            )}
          </>
        ))}
    </div>
  );
}
