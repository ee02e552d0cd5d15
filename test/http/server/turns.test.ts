// Requests of one turn of the event loop: their order, what holds them up and what does not.
import { expect, test } from "bun:test";
import type { App } from "../../../src/http/app.ts";
import { inTurns, SENT_TOGETHER } from "../../../src/http/turns.ts";

const noAddress = () => "unknown";
const request = (path: string) => new Request(`http://localhost/${path}`);

/** Handles requests with `handle`, all sent in one turn. Lists when each began, was done, and got its response. */
async function handled(paths: readonly string[], handle: (path: string) => Promise<void>): Promise<string[]> {
  const events: string[] = [];
  const app: App = async ({ url }) => {
    const path = new URL(url).pathname.slice(1);
    events.push(`${path} begins`);
    await handle(path);
    events.push(`${path} ends`);
    return new Response(path);
  };
  const inOneTurn = inTurns(app);
  await Promise.allSettled(
    paths.map(async (path) => {
      const response = await inOneTurn(request(path), noAddress);
      expect(await response.text()).toBe(path);
      events.push(`${path} is sent`);
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
  const paths = Array.from({ length: 3 * SENT_TOGETHER }, (_, number) => `r${number}`);
  const events = await handled(paths, () => steps(20));
  expect(order(events, "begins")).toEqual(paths);
  expect(order(events, "is sent").toSorted()).toEqual(paths.toSorted());
  expect(events.indexOf("r0 is sent")).toBeLessThan(events.indexOf(`r${2 * SENT_TOGETHER} begins`));
  expect(events.indexOf("r0 is sent")).toBeGreaterThan(events.indexOf(`r${SENT_TOGETHER - 1} ends`));
});

test("a request that waits holds up neither later requests nor their responses", async () => {
  const { promise: change, resolve } = Promise.withResolvers<void>();
  const events = await handled(["waits", "b", "c"], async (path) => {
    if (path === "waits") await change;
    else await steps(20);
    if (path === "c") setTimeout(resolve, 20); // long after the turn
  });
  expect(order(events, "is sent")).toEqual(["b", "c", "waits"]);
});

test("requests of a later turn do not wait for those of an earlier one", async () => {
  const { promise: change, resolve } = Promise.withResolvers<void>();
  const app: App = async ({ url }) => {
    if (url.endsWith("/waits")) await change;
    return new Response(url);
  };
  const inOneTurn = inTurns(app);
  const waiting = inOneTurn(request("waits"), noAddress);
  await Bun.sleep(5);
  expect((await inOneTurn(request("later"), noAddress)).status).toBe(200);
  resolve();
  expect((await waiting).status).toBe(200);
});

test("what the service throws reaches the server", async () => {
  const inOneTurn = inTurns(async () => {
    throw new Error("a fault of the pipeline");
  });
  expect(inOneTurn(request("a"), noAddress)).rejects.toThrow("a fault of the pipeline");
});
