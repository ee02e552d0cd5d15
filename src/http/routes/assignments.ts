import { listAssignments } from "../../contract/assignments.ts";
import { LIMIT_DEFAULT } from "../../contract/list.ts";
import { listContent } from "../render.ts";
import { listRoute } from "./route.ts";

export const assignmentsList = listRoute(listAssignments, async ({ company, values, path, query }) => {
  const { limit = LIMIT_DEFAULT, afterId, beforeId, ...filter } = values;
  const page = { limit, after: afterId, before: beforeId };
  return listContent(await company.assignments(page, filter), values, path, query);
});
