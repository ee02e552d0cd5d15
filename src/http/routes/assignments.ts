import { listAssignments } from "../../resources/assignments.ts";
import { LIMIT_DEFAULT } from "../../resources/lists.ts";
import { listContent } from "../render.ts";
import { listRoute } from "./route.ts";

export const assignmentsList = listRoute(listAssignments, async ({ company, values, path, query }) => {
  const { limit = LIMIT_DEFAULT, afterId, beforeId, ...filter } = values;
  const page = { limit, after: afterId, before: beforeId };
  return listContent(await company.assignments(page, filter), values, path, query);
});
