// Requests of one turn of the event loop: their order, what holds them up and what does not, and which connections wait.
import { expect, test } from "bun:test";
import { inTurns, SENT_ALONE, SENT_TOGETHER } from "../../../src/http/turns.ts";

type RunInTurn = ReturnType<typeof inTurns>;

/** Connections from ports of one number, and different addresses. */
const peer = (address: string) => ({ address, port: 40_000 });
const quick = async () => new Response();
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** As many requests as it takes until requests of these connections wait for the end of the turn. */
async function sendAlone(runInTurn: RunInTurn, connections: readonly string[]): Promise<void> {
  for (let sent = 0; sent < SENT_ALONE; sent++) {
    await Promise.all(connections.map((connection) => runInTurn(peer(connection), quick)));
    await nextTurn();
  }
}

/** Handles a request of each connection with `respond`, all in one turn. Lists when each began, was done, and got its response. */
async function handled(
  names: readonly string[],
  respond: (name: string) => Promise<void>,
): Promise<string[]> {
  const events: string[] = [];
  const runInTurn = inTurns();
  await sendAlone(runInTurn, names);
  await Promise.all(
    names.map(async (name) => {
      const response = await runInTurn(peer(name), async () => {
        events.push(`${name} begins`);
        await respond(name);
        events.push(`${name} ends`);
        return new Response(name);
      });
      expect(await response.text()).toBe(name);
      events.push(`${name} is sent`);
    }),
  );
  return events;
}

const steps = async (count: number) => {
  for (let step = 0; step < count; step++) await null;
};
const order = (events: readonly string[], what: string) =>
  events.filter((event) => event.endsWith(what)).map((event) => event.split(" ")[0]);

test("requests that come together run one after the other, and then their responses are sent", async () => {
  const events = await handled(["a", "b", "c"], () => steps(20));
  expect(events.slice(0, 6)).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  expect(order(events, "is sent")).toEqual(["a", "b", "c"]);
});

test("the first responses of many are sent before the last requests run", async () => {
  const names = Array.from({ length: 3 * SENT_TOGETHER }, (_, number) => `r${number}`);
  const events = await handled(names, () => steps(20));
  expect(order(events, "begins")).toEqual(names);
  expect(order(events, "is sent").toSorted()).toEqual(names.toSorted());
  expect(events.indexOf("r0 is sent")).toBeLessThan(events.indexOf(`r${2 * SENT_TOGETHER} begins`));
  expect(events.indexOf("r0 is sent")).toBeGreaterThan(events.indexOf(`r${SENT_TOGETHER - 1} ends`));
});

test("responses that are no promises are sent by so many, too, and an error reaches its request alone", async () => {
  const names = Array.from({ length: 3 * SENT_TOGETHER }, (_, number) => `r${number}`);
  const events: string[] = [];
  const runInTurn = inTurns();
  await sendAlone(runInTurn, names);
  const settled = await Promise.allSettled(
    names.map(async (name) => {
      await runInTurn(peer(name), () => {
        events.push(`${name} begins`);
        if (name === "r3") throw new Error("no such thing");
        return new Response(name);
      });
      events.push(`${name} is sent`);
    }),
  );
  expect(order(events, "begins")).toEqual(names);
  expect(order(events, "is sent")).toEqual(names.filter((name) => name !== "r3"));
  expect(events.indexOf("r0 is sent")).toBeLessThan(events.indexOf(`r${2 * SENT_TOGETHER} begins`));
  expect(events.indexOf("r0 is sent")).toBeGreaterThan(events.indexOf(`r${SENT_TOGETHER - 1} begins`));
  expect(settled.map(({ status }) => status === "rejected")).toEqual(names.map((name) => name === "r3"));
});

test("a request that waits holds up neither later requests nor their responses", async () => {
  const { promise: change, resolve } = Promise.withResolvers<void>();
  const events = await handled(["waits", "b", "c"], async (name) => {
    if (name === "waits") await change;
    else await steps(20);
    if (name === "c") setTimeout(resolve, 20); // long after the turn
  });
  expect(order(events, "is sent")).toEqual(["b", "c", "waits"]);
});

test("an error reaches the request that raised it, and no other", async () => {
  const runInTurn = inTurns();
  await sendAlone(runInTurn, ["a", "b"]);
  const [failed, done] = await Promise.allSettled([
    runInTurn(peer("a"), () => Promise.reject(new Error("no such thing"))),
    runInTurn(peer("b"), quick),
  ]);
  expect(failed).toMatchObject({ status: "rejected", reason: { message: "no such thing" } });
  expect(done.status).toBe("fulfilled");
});

/** Whether the next request of the connection runs at once. */
async function runsAtOnce(runInTurn: RunInTurn, connection: string): Promise<boolean> {
  let hasBegun = false;
  const response = runInTurn(peer(connection), async () => {
    hasBegun = true;
    return new Response();
  });
  const wasAtOnce = hasBegun;
  await response;
  await nextTurn();
  return wasAtOnce;
}

test("requests of a connection run at once until it has sent enough of them one by one", async () => {
  const runInTurn = inTurns();
  for (let sent = 0; sent < SENT_ALONE; sent++) expect(await runsAtOnce(runInTurn, "a")).toBe(true);
  expect(await runsAtOnce(runInTurn, "a")).toBe(false);
  expect(await runsAtOnce(runInTurn, "another")).toBe(true);
});

test("requests of a connection that has pipelined always run at once", async () => {
  const runInTurn = inTurns();
  await Promise.all([runInTurn(peer("a"), quick), runInTurn(peer("a"), quick)]);
  await nextTurn();
  for (let sent = 0; sent < 2 * SENT_ALONE; sent++) expect(await runsAtOnce(runInTurn, "a")).toBe(true);
});
