// Closes, and the balances that differ from them today, with causes (docs/record.md). Only the close itself is stored.
import type { BalanceWithFacts } from "../../balance-facts.ts";
import { figureOf } from "../../balances/balance.ts";
import { type Cause, causesOf, withFormer } from "../../balances/differences.ts";
import type { BalanceFacts } from "../../balances/facts.ts";
import { firstLeaveDay, lastLeaveDay } from "../../balances/leave.ts";
import { listBalances } from "../../resources/balances.ts";
import {
  type Close,
  type CloseDifference,
  listCloseDifferences,
  listCloses,
  retrieveClose,
} from "../../resources/closes.ts";
import { balanceId } from "../../resources/ids.ts";
import { listMovements, type Movement } from "../../resources/movements.ts";
import { LIMIT_MAX, type Values } from "../../resources/query.ts";
import { pageOf } from "../../store/plan.ts";
import type { CompanyReader, DocPage, PageQuery, StoredClose } from "../../store/store.ts";
import { formatDay, utcDayOf } from "../../time/day.ts";
import { eachPair } from "../balance-pairs.ts";
import { csvRows } from "../csv-rows.ts";
import { closeNamed } from "../known-on.ts";
import { parsed } from "../read-all.ts";
import { balancesList, position } from "./balances.ts";
import { movementsList } from "./movements.ts";
import { contentOf, envelope, type ListInput, listRoute, pagesOf, type Route, route } from "./route.ts";

export const closesRoute: Route = {
  ...route(listCloses, async ({ company }) => {
    const closes = (await company.closes()).slice(0, LIMIT_MAX).map(closeObject);
    const docs = closes.map((close) => JSON.stringify(close));
    return contentOf(envelope({ docs, hasMore: false }), null, docs.length);
  }),
  isOfPeople: false,
};

export const closeRetrieval: Route = {
  ...route(retrieveClose, async ({ company, id }) =>
    contentOf(JSON.stringify(closeObject(await closeNamed(company, id)))),
  ),
  isOfPeople: false,
};

export const differencesList = listRoute(listCloseDifferences, readDifferences);

export function closeObject(close: StoredClose): Close {
  const { name, firstDay, lastDay, atMs, digest, balances, minutes, erasedWorkers, erasedRequests } = close;
  return {
    id: name,
    from: formatDay(firstDay),
    through: formatDay(lastDay),
    knownOn: new Date(atMs).toISOString(),
    sha256: digest,
    balances,
    minutes,
    erasedWorkers,
    erasedRequests,
  };
}

// Digests and sums ---------------------------------------------------------------------------------------------------------

type ClosedPeriod = Pick<StoredClose, "firstDay" | "lastDay" | "atMs">;

/** The digest and sums of a close. `then`: the company as known at its revision. */
export async function closed(
  then: CompanyReader,
  { firstDay, lastDay, atMs }: ClosedPeriod,
): Promise<Pick<StoredClose, "digest" | "balances" | "minutes">> {
  const [from, to] = [formatDay(firstDay), formatDay(lastDay)];
  const hasher = new Bun.CryptoHasher("sha256");
  const today = formatDay(utcDayOf(atMs));
  const balanceRows = csvRows(listBalances);
  let balances = 0;
  for await (const { docs } of pagesOf(balancesList, then, { endDate: to }, today)) {
    hasher.update(balanceRows(docs));
    balances += docs.length;
  }
  const movementRows = csvRows(listMovements);
  let hundredths = 0;
  const movements = { groupBy: ["worker", "policy"], from, to };
  for await (const { docs } of pagesOf(movementsList, then, movements, today)) {
    hasher.update(movementRows(docs));
    for (const doc of docs) hundredths += Math.round(parsed<Movement>(doc).closing * 100);
  }
  return { digest: hasher.digest("hex"), balances, minutes: hundredths / 100 };
}

// Differences ----------------------------------------------------------------------------------------------------------------

type DifferenceValues = Values<typeof listCloseDifferences.parameters>;

async function readDifferences(
  { company, values, id, computation }: ListInput<DifferenceValues>,
  page: PageQuery,
): Promise<DocPage> {
  const { limit, after, before } = page;
  const close = await closeNamed(company, id);
  const isBackward = before !== undefined;
  return company.atOneVersion(async (now) => {
    const cursor = await position(now, isBackward ? "beforeId" : "afterId", before ?? after);
    const { policyIds, workerIds } = values;
    const query = { policyIds, workerIds, withIds: true, from: cursor, isBackward };
    const rows: CloseDifference[] = [];
    for await (const [was, is] of eachPair(now.known(close.revision), now, query, computation)) {
      const row = await differenceOf(now, close, was, is);
      if (row !== null) rows.push(row);
      if (rows.length > limit) break;
    }
    return pageOf(
      rows.map((row) => JSON.stringify(row)),
      page,
    );
  });
}

async function differenceOf(
  company: CompanyReader,
  { lastDay }: StoredClose,
  was: BalanceWithFacts | null,
  is: BalanceWithFacts | null,
): Promise<CloseDifference | null> {
  const { workerId, policyId } = (was ?? is)!; // one of them is there
  const [before, now] = [was?.facts ?? null, is?.facts ?? null];
  const [closedAt, nowAt] = [figureOf(before, lastDay), figureOf(now, lastDay)];
  if (closedAt === nowAt) return null;
  const denied = new Set<string>();
  const requestsOf = (facts: BalanceFacts | null) =>
    facts === null ? [] : withFormer(facts).flatMap(({ requests }) => requests);
  const nowIds = new Set(requestsOf(now).map(({ id }) => id));
  for (const { id = "" } of requestsOf(before)) {
    if (now === null || nowIds.has(id)) continue;
    const doc = await company.object("requests", id);
    if (doc !== null && parsed<{ readonly status: string }>(doc).status === "denied") denied.add(id);
  }
  const causes = causesOf(before, now, lastDay, (id) => denied.has(id));
  return {
    id: balanceId(workerId, policyId),
    workerId,
    policyId,
    closedMinutes: closedAt / 100,
    nowMinutes: nowAt / 100,
    difference: (nowAt - closedAt) / 100,
    causes: causes.map(({ cause, sourceId, was, is, by }) => ({
      ...{ cause, sourceId, minutes: by / 100 },
      ...{ was: was && datedMinutes(was), is: is && datedMinutes(is) },
    })),
  };
}

function datedMinutes(entry: NonNullable<Cause["is"]>) {
  const [first, last] = "day" in entry ? [entry.day, entry.day] : [firstLeaveDay(entry), lastLeaveDay(entry)];
  const status = "status" in entry ? entry.status : null;
  return { from: formatDay(first), through: formatDay(last), minutes: entry.minutes, status };
}
