// The company of a key, and how old its data is.
import { z } from "zod";
import { dateTimeSchema, timeZoneSchema } from "./cells.ts";
import { type EndpointContract, routePattern, type Wire, wireSchema } from "./resource.ts";

export const company = {
  schemaName: "Company",
  description: "A company, and how old its data is.",
  fields: {
    id: { wire: z.string().meta({ example: "acme" }) },
    name: { wire: z.string().meta({ example: "Acme Ltd" }) },
    timeZone: {
      wire: timeZoneSchema.nullable().meta({
        description: "The time zone of workers that have none of their own; null for UTC.",
        example: "Europe/Lisbon",
      }),
    },
    dataAsOf: {
      wire: dateTimeSchema.nullable().meta({
        description:
          "When the last successful import ended, whether it changed anything or not; null before the first.",
        example: "2026-03-01T05:00:12.345Z",
      }),
    },
    changedAt: {
      wire: dateTimeSchema.nullable().meta({
        description: "When an import last changed something; null before the first that did.",
        example: "2026-02-28T05:00:11.002Z",
      }),
    },
  },
};

export type CompanyObject = Wire<typeof company.fields>;

export const retrieveCompany = {
  path: routePattern("/v1/company"),
  operationId: "retrieveCompany",
  summary: "Retrieve the company",
  description: "The company that the key belongs to, and how old its data is.",
  tag: "Company",
  scope: null,
  response: wireSchema(company),
  parameters: {},
} satisfies EndpointContract;
