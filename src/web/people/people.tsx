// All people, with search.
import { useMemo } from "react";
import type { Worker } from "../../client/index.ts";
import {
  type Directory,
  departmentOf,
  directoryOf,
  filterPeople,
  groupName,
  NO_WORKERS,
  STATUSES,
  statusName,
  typeName,
  workplaceOf,
} from "../data/directory.ts";
import { facts, number, peopleCount } from "../data/format.ts";
import { useWorkers } from "../data/queries.ts";
import { listPath, usePeopleFilter, useSettings } from "../data/settings.ts";
import { Export, type Sheet, sheetWith } from "../parts/export.tsx";
import { PeopleTable } from "../parts/people-table.tsx";
import { PeopleSearch } from "../parts/search.tsx";
import { Empty, failureOf, isLoaded, Loading, useTitle } from "../parts/states.tsx";
import { t } from "../texts/texts.ts";

function sheetOf(people: readonly Worker[], directory: Directory): Sheet {
  return sheetWith(t("view.people"), people, {
    [t("field.person")]: ({ displayName }) => displayName,
    [t("field.sourceId")]: ({ legacyId }) => legacyId,
    [t("field.position")]: ({ position }) => position,
    [t("field.department")]: departmentOf,
    [t("field.location")]: workplaceOf,
    [t("field.manager")]: (worker) => groupName(worker, "manager", directory),
    [t("field.workEmail")]: ({ workEmail }) => workEmail,
    [t("field.status")]: ({ status }) => statusName(status),
    [t("field.type")]: ({ type }) => typeName(type),
    [t("field.firstDay")]: ({ startDate }) => startDate,
    [t("field.lastDay")]: ({ endDate }) => endDate,
  });
}

/** `Active: 195`, `Inactive: 43`: most views leave out people who have left. Empty if all have one status. */
function statusCounts(people: readonly Worker[]): string[] {
  const counts = Map.groupBy(people, ({ status }) => status);
  return STATUSES.filter((status) => counts.size > 1 && counts.has(status)).map((status) =>
    t("fact", { name: statusName(status), value: number(counts.get(status)!.length) }),
  );
}

export function People() {
  useTitle(t("view.people"));
  const workers = useWorkers();
  const { search, change } = useSettings();
  const filter = usePeopleFilter(search);
  const directory = useMemo(() => directoryOf(workers.data ?? NO_WORKERS), [workers.data]);
  const shown = useMemo(() => filterPeople(workers.data ?? NO_WORKERS, filter), [workers.data, filter]);

  return (
    <div className="column">
      <div className="head">
        <h1>{t("view.people")}</h1>
        <Export
          isComplete={isLoaded(workers)}
          sheet={() => sheetOf(shown, directory)}
          path={listPath("/v1/workers", filter, directory)}
        />
      </div>
      <PeopleSearch filter={filter} directory={directory} change={change} />
      {failureOf(workers) ??
        (workers.data === undefined ? (
          <Loading what={t("loading.people")} />
        ) : (
          <>
            <p className="summary soft small" role="status">
              {facts(peopleCount(shown.length), ...statusCounts(shown))}
            </p>
            {shown.length === 0 ? (
              <Empty>{t(workers.data.length === 0 ? "people.none" : "people.noMatch")}</Empty>
            ) : (
              <PeopleTable name={t("view.people")} people={shown} />
            )}
          </>
        ))}
    </div>
  );
}
