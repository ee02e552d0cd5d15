import { LIMIT_DEFAULT } from "../../contract/list.ts";
import { listRequests } from "../../contract/requests.ts";
import { listContent } from "../render.ts";
import { listRoute } from "./route.ts";

export const requestsList = listRoute(listRequests, async ({ company, values, path, query }) => {
  const { limit = LIMIT_DEFAULT, afterId, beforeId, ...filter } = values;
  const page = { limit, after: afterId, before: beforeId };
  return listContent(await company.requests(page, filter), values, path, query);
});
