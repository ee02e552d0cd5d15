// The endpoints of the API: those that follow from the definitions of lists (kinds.ts), and the others.
import type { z } from "zod";
import { balanceExplanation, balances, listBalances, retrieveBalance } from "./balances.ts";
import { capacity, listCapacity } from "./capacity.ts";
import { listChanges } from "./changes.ts";
import { closeDifferences, closes, listCloseDifferences, listCloses, retrieveClose } from "./closes.ts";
import { company, retrieveCompany } from "./company.ts";
import { days, listDays } from "./days.ts";
import { idSchema, notFoundCode, nounOf } from "./ids.ts";
import { LIST_KINDS, LIST_SCHEMAS, LISTS, type ListKind } from "./kinds.ts";
import { expirations, listExpirations, listMovements, movements } from "./movements.ts";
import { leavePreview, previewLeave } from "./preview.ts";
import { cursors, known } from "./query.ts";
import {
  type Api,
  type EndpointContract,
  type ListContract,
  type ListResource,
  listOf,
  type RetrieveContract,
  retrievalPattern,
  type WireResource,
} from "./resource.ts";
import { retrieveSchedule, workSchedule } from "./schedules.ts";
import { WORKER_FILTERS_NOTE, workerFilters } from "./worker-filters.ts";

/** The name of a kind in code: `camelName("work_hours")` is "workHours". */
export function camelName(kind: string): string {
  return kind.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const capitalised = (text: string) => text.replace(/^./, (letter) => letter.toUpperCase());

function listContract(resource: ListResource, item: z.ZodType): ListContract {
  const { kind, api, schemaName, idKind } = resource;
  const filters = Object.entries(api.filters).map(([name, { parameter }]) => [name, parameter]);
  const isOfWorkers = "workerId" in resource.belongsTo;
  const nouns = kind.replaceAll("_", " ");
  const combine = filters.length > 1 && "Filters combine with AND; the values of one list with OR.";
  return {
    operationId: `list${capitalised(camelName(kind))}`,
    summary: `List ${titled(api, nouns)}`,
    description: [`${capitalised(nouns)} in the order of their ids.`, combine, api.note]
      .filter(Boolean)
      .join(" "),
    path: api.path,
    tag: api.tag,
    scope: api.scope,
    ...(isOfWorkers && { scopeNote: WORKER_FILTERS_NOTE }),
    item,
    response: listOf(`${schemaName}List`, item),
    parameters: {
      ...cursors(idKind),
      ...Object.fromEntries(filters),
      ...(isOfWorkers && workerFilters(nouns)),
      ...known,
    },
  };
}

const titled = ({ adjective }: Api, noun: string) =>
  adjective === undefined ? noun : `${adjective} ${noun}`;

/** The contract of a resource's retrieval, or null if single objects cannot be retrieved. */
function retrieveContract(
  { idKind, schemaName, api }: ListResource,
  { path, tag, scope, item }: ListContract,
): RetrieveContract | null {
  if (!api.isRetrieved || idKind === "balance") return null;
  const noun = nounOf(idKind);
  return {
    operationId: `retrieve${schemaName}`,
    summary: `Retrieve a ${titled(api, noun)}`,
    description: `One ${noun} by id.`,
    path: retrievalPattern(path),
    tag,
    scope,
    idKind,
    id: idSchema(idKind).describe(`The ${noun}'s id.`),
    notFound: notFoundCode(idKind),
    response: item,
    parameters: known,
  };
}

export interface Endpoints {
  readonly list: ListContract;
  readonly retrieve: RetrieveContract | null;
}

/** The contracts of every list that the store reads in pages. */
export const ENDPOINTS = Object.fromEntries(
  LIST_KINDS.map((kind) => {
    const list = listContract(LISTS[kind], LIST_SCHEMAS[kind]);
    return [kind, { list, retrieve: retrieveContract(LISTS[kind], list) }];
  }),
) as Readonly<Record<ListKind, Endpoints>>; // one entry per kind

/** Every contract, in the order of the reference. */
export const CONTRACTS: readonly EndpointContract[] = [
  retrieveCompany,
  ...Object.values(ENDPOINTS).flatMap(({ list, retrieve }) =>
    retrieve === null ? [list] : [list, retrieve],
  ),
  retrieveSchedule,
  listBalances,
  retrieveBalance,
  listDays,
  listMovements,
  listExpirations,
  listCapacity,
  previewLeave,
  listCloses,
  retrieveClose,
  listCloseDifferences,
  listChanges,
];

/** Every object of the API. */
export const WIRE_OBJECTS: readonly Pick<WireResource, "schemaName" | "description" | "fields">[] = [
  company,
  ...Object.values(LISTS),
  balances,
  balanceExplanation,
  days,
  movements,
  expirations,
  capacity,
  workSchedule,
  leavePreview,
  closes,
  closeDifferences,
];
