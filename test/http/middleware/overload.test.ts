// Load shedding refuses requests that could not get a response in time, and no others.
import { describe, expect, test } from "bun:test";
import { overloadGuard } from "../../../src/http/middleware/overload.ts";

/** A guard with a clock and turns that the test drives. */
function driven() {
  let clockMs = 1_000_000;
  let endTurn = () => {};
  const guard = overloadGuard({
    nowMs: () => clockMs,
    afterTurn: (callback) => {
      endTurn = callback;
    },
  });
  /** Handles one request that takes this long; returns whether it was shed. */
  const request = (tookMs: number): boolean => {
    if (!guard.tryAcquire()) return true;
    clockMs += tookMs;
    guard.release();
    return false;
  };
  return {
    guard,
    request,
    /** Handles requests that are ready together; returns how many were shed. */
    turn(requests: number, tookMs: number, idleMs = 0): number {
      const shed = Array.from({ length: requests }, () => request(tookMs)).filter(Boolean).length;
      endTurn();
      clockMs += idleMs;
      return shed;
    },
    wait: (ms: number) => {
      clockMs += ms;
    },
  };
}

const IDLE_MS = 2;

describe("a burst", () => {
  test("may fill 100 ms; the rest is shed", () => {
    expect(driven().turn(500, 1)).toBe(399); // 101 requests of 1 ms pass the 100 ms
  });

  test("of many fast requests is admitted completely", () => {
    expect(driven().turn(5000, 0.01)).toBe(0);
  });

  test("is admitted again once the queue was empty", () => {
    const { turn } = driven();
    for (let burst = 0; burst < 20; burst++) {
      expect(turn(90, 1, IDLE_MS)).toBe(0);
    }
  });

  test("is admitted by a server that was idle for long", () => {
    const { turn, wait } = driven();
    for (let i = 0; i < 10; i++) turn(500, 1);
    wait(60_000);
    expect(turn(90, 1)).toBe(0);
  });
});

describe("a queue that stays non-empty for 100 ms", () => {
  test("is reduced to 32 requests or 5 ms a turn, whichever is more", () => {
    const { turn } = driven();
    turn(500, 1);
    expect(turn(150, 1)).toBe(118);
    expect(turn(150, 0.1)).toBe(150 - 51); // 51 requests of 0.1 ms pass the 5 ms
  });

  test("stays reduced until nothing was shed for a second", () => {
    const { turn, wait } = driven();
    turn(500, 1, IDLE_MS);
    expect(turn(90, 1, IDLE_MS)).toBe(58);
    wait(900);
    expect(turn(90, 1, IDLE_MS)).toBe(58);
    wait(900);
    expect(turn(10, 1, IDLE_MS)).toBe(0);
    wait(100);
    expect(turn(90, 1, IDLE_MS)).toBe(0);
  });

  test("of 32 callers that wait for each response, however slow, is admitted completely", () => {
    const { turn } = driven();
    for (let i = 0; i < 100; i++) expect(turn(32, 20)).toBe(0);
  });
});

test("one slow request sheds no others", () => {
  const { request } = driven();
  expect(request(5000)).toBe(false);
  for (let i = 0; i < 31; i++) expect(request(1)).toBe(false);
});

describe("requests that wait for the store", () => {
  test("a burst may have a thousand in flight, and no more", () => {
    const { guard } = driven();
    for (let i = 0; i < 1000; i++) expect(guard.tryAcquire()).toBe(true);
    expect(guard.tryAcquire()).toBe(false);
    guard.release();
    expect(guard.tryAcquire()).toBe(true);
  });

  test("48 may be in flight once the store has lagged for 100 ms, even if the event loop is idle", () => {
    const { guard, turn, wait } = driven();
    for (let i = 0; i < 100; i++) expect(guard.tryAcquire()).toBe(true);
    expect(turn(1, 0, IDLE_MS)).toBe(0);
    wait(101);
    expect(guard.tryAcquire()).toBe(false);
    for (let i = 0; i < 53; i++) guard.release();
    expect(guard.tryAcquire()).toBe(true);
    expect(guard.tryAcquire()).toBe(false);
  });
});
