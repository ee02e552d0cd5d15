// Which requests run at once, which wait, and whose is next. Durations are made by keeping the event loop busy.
import { expect, test } from "bun:test";
import { type Admission, fairAdmission, type Release } from "../../../src/http/middleware/admission.ts";

const nextTurn = () => new Promise(setImmediate);

function busy(durationMs: number): void {
  const untilMs = performance.now() + durationMs;
  while (performance.now() < untilMs);
}

/** Acquires for each key, in this order and in one turn; each that is admitted takes its time at once. Returns the order. */
async function run(admission: Admission, keys: readonly string[], durationMs: number): Promise<string[]> {
  const ran: string[] = [];
  const requests: Promise<void>[] = [];
  for (const key of keys) {
    const request = async () => {
      const release = await admission.acquire(key);
      ran.push(release === null ? `${key} refused` : key);
      busy(durationMs);
      release?.();
    };
    requests.push(request());
    for (let step = 0; step < 10; step++) await null; // Bun lets a request go on until it waits, and then reads the next
  }
  await Promise.all(requests);
  return ran;
}

/** Holds as many requests as run at once; returns what ends them. */
async function fill(admission: Admission, key: string): Promise<Release[]> {
  const held: Release[] = [];
  for (let request = 0; request < 48; request++) held.push((await admission.acquire(key))!);
  return held;
}

test("a key that is alone on the server gets all its responses at once, in order", async () => {
  const keys = Array.from({ length: 500 }, () => "a");
  let turns = 0;
  setImmediate(() => turns++);
  expect(await run(fairAdmission(), keys, 0.1)).toEqual(keys);
  expect(turns).toBe(0);
});

test("keys take turns if their requests must wait, however many requests one of them sends", async () => {
  const flood = Array.from({ length: 20 }, () => "flood");
  const ran = await run(fairAdmission(), ["a", ...flood, "a", "b", "a"], 6);
  expect(ran.length).toBe(24);
  // One ran at once; from then on the keys take turns.
  expect(ran.slice(0, 8)).toEqual(["a", "flood", "a", "b", "flood", "a", "flood", "flood"]);
});

test("a request that arrives while others wait is admitted after one of each key, at most", async () => {
  const admission = fairAdmission();
  (await admission.acquire("late"))?.();
  let ran = 0;
  const flood = Array.from({ length: 50 }, async (_, at) => {
    for (let step = 0; step < 10 * at; step++) await null;
    const release = await admission.acquire("flood");
    ran++;
    busy(6);
    release?.();
  });
  await nextTurn();
  const before = ran;
  (await admission.acquire("late"))?.();
  expect(ran - before).toBeLessThanOrEqual(2);
  await Promise.all(flood);
});

test("a bounded number of requests wait for a store; the next slot goes to another key", async () => {
  const admission = fairAdmission();
  const held = await fill(admission, "a");
  const order: string[] = [];
  const waiting = ["a", "a", "b"].map(async (key) => {
    const release = await admission.acquire(key);
    order.push(key);
    return release!;
  });
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect(order).toEqual([]);
  for (const release of held) release();
  for (const release of await Promise.all(waiting)) release();
  expect(order).toEqual(["a", "b", "a"]);
});

test("a key that has a thousand waiting is refused the next; another key is not", async () => {
  const admission = fairAdmission();
  const held = await fill(admission, "a");
  const waiting = Array.from({ length: 1000 }, () => admission.acquire("a"));
  expect(await admission.acquire("a")).toBeNull();
  const other = admission.acquire("b");
  for (const release of held) release();
  (await other)!();
  for (const one of waiting) (await one)!();
});

test("a request that has waited for three seconds is refused", async () => {
  const admission = fairAdmission();
  const held = await fill(admission, "a");
  const waiting = admission.acquire("a");
  await Bun.sleep(3100);
  for (const release of held) release();
  expect(await waiting).toBeNull();
  const next = await admission.acquire("a");
  expect(next).not.toBeNull();
});
