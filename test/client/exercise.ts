// What a developer would do with the client; the same in Bun, Node and a browser, so it names none of them.
import { isRollcallError, Rollcall } from "rollcall/client";

export async function exercise(baseUrl: string, apiKey: string) {
  const rollcall = new Rollcall({ baseUrl, apiKey });

  const listed: string[] = [];
  for await (const worker of rollcall.workers.list({ statuses: ["active"] })) listed.push(worker.id);

  const backward: string[] = [];
  let page = await rollcall.workers.list({ statuses: ["active"] }).page({ beforeId: "wrk_9999", limit: 50 });
  while (true) {
    backward.unshift(...page.data.map(({ id }) => id));
    const previous = await page.previous();
    if (previous === null) break;
    page = previous;
  }

  const worker = await rollcall.workers.retrieve("wrk_0000");
  const again = await rollcall.workers.retrieve("wrk_0000"); // a 304, served from the cache
  const policy = await rollcall.policies.retrieve("top_annual");
  const march = {
    startsBefore: new Date("2026-04-01T00:00:00Z"),
    endsOnOrAfter: new Date("2026-03-01T00:00:00Z"),
  };
  const away = await rollcall.requests.list({ ...march, statuses: ["approved"] }).toArray();
  const [balance] = await rollcall.balances
    .list({ workerIds: ["wrk_0000"], endDate: new Date("2026-03-10") })
    .toArray();
  const holders = await rollcall.assignments
    .list({ policyIds: [policy.id], workerIds: ["wrk_0001"] })
    .toArray();
  const missing = await rollcall.workers.retrieve("wrk_nobody").catch((error: unknown) => error);
  return {
    listed: listed.length,
    isSameBackward: listed.join() === backward.join(),
    names: [worker.displayName, again.displayName, policy.name],
    away: away.map(({ id }) => id),
    used: balance?.used,
    holders: holders.map(({ id }) => id),
    missing: isRollcallError(missing, "worker_not_found")
      ? [missing.status, missing.requestId?.length]
      : String(missing),
  };
}

export const EXPECTED = {
  listed: 115,
  isSameBackward: true,
  names: ["Ana Sol", "Ana Sol", "Annual leave"],
  away: ["tor_1"],
  used: 480,
  holders: ["toa_0001"],
  missing: [404, 36],
};
