import { foldEmail } from "../../resources/fields.ts";
import { LIMIT_DEFAULT } from "../../resources/lists.ts";
import { listWorkers, retrieveWorker } from "../../resources/workers.ts";
import { listContent } from "../render.ts";
import { listRoute, type RetrieveRoute } from "./route.ts";

export const workersList = listRoute(listWorkers, async ({ company, values, path, query }) => {
  const page = { limit: values.limit ?? LIMIT_DEFAULT, after: values.afterId, before: values.beforeId };
  const workEmailFolded = values.workEmail === undefined ? undefined : foldEmail(values.workEmail);
  const found = await company.workers(page, {
    workEmailFolded,
    statuses: values.statuses,
    types: values.types,
  });
  return listContent(found, values, path, query);
});

export const workerById: RetrieveRoute = {
  contract: retrieveWorker,
  answer: (company, id) => company.worker(id),
};
