import { LIMIT_DEFAULT } from "../../resources/lists.ts";
import { listPolicies, retrievePolicy } from "../../resources/policies.ts";
import { listContent } from "../render.ts";
import { listRoute, type RetrieveRoute } from "./route.ts";

export const policiesList = listRoute(listPolicies, async ({ company, values, path, query }) => {
  const page = { limit: values.limit ?? LIMIT_DEFAULT, after: values.afterId, before: values.beforeId };
  return listContent(await company.policies(page), values, path, query);
});

export const policyById: RetrieveRoute = {
  contract: retrievePolicy,
  answer: (company, id) => company.policy(id),
};
