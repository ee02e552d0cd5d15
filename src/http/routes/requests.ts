import { LIMIT_DEFAULT } from "../../resources/lists.ts";
import { listRequests } from "../../resources/requests.ts";
import { listContent } from "../render.ts";
import { listRoute } from "./route.ts";

export const requestsList = listRoute(listRequests, async ({ company, values, path, query }) => {
  const { limit = LIMIT_DEFAULT, afterId, beforeId, ...filter } = values;
  const page = { limit, after: afterId, before: beforeId };
  return listContent(await company.requests(page, filter), values, path, query);
});
