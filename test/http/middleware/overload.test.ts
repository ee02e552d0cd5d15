// Shedding: what cannot be answered in time is refused; nothing else is.
import { describe, expect, test } from "bun:test";
import { overloadGuard } from "../../../src/http/middleware/overload.ts";

/** A guard whose clock and turns the test drives. */
function driven() {
  let clockMs = 1_000_000;
  let endTurn = () => {};
  const guard = overloadGuard({
    nowMs: () => clockMs,
    afterTurn: (callback) => {
      endTurn = callback;
    },
  });
  /** One request that takes so long; whether it was shed. */
  const request = (tookMs: number): boolean => {
    if (!guard.tryAcquire()) return true;
    clockMs += tookMs;
    guard.release();
    return false;
  };
  return {
    guard,
    request,
    /** So many requests that are ready together; how many of them were shed. */
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
  test("may fill 100 ms; what is beyond is shed", () => {
    expect(driven().turn(500, 1)).toBe(399); // 101 requests of 1 ms pass the 100 ms
  });

  test("of many fast requests is answered whole", () => {
    expect(driven().turn(5000, 0.01)).toBe(0);
  });

  test("after another is let in again once nobody waited", () => {
    const { turn } = driven();
    for (let burst = 0; burst < 20; burst++) {
      expect(turn(90, 1, IDLE_MS)).toBe(0);
    }
  });

  test("is let in by a server that has slept for long", () => {
    const { turn, wait } = driven();
    for (let i = 0; i < 10; i++) turn(500, 1);
    wait(60_000);
    expect(turn(90, 1)).toBe(0);
  });
});

describe("a queue that stands for a tenth of a second", () => {
  test("is cut to 32 answers or 5 ms a turn, whichever is more", () => {
    const { turn } = driven();
    turn(500, 1);
    expect(turn(150, 1)).toBe(118);
    expect(turn(150, 0.1)).toBe(150 - 51); // 51 requests of 0.1 ms pass the 5 ms
  });

  test("goes on being cut until nobody was refused for a second", () => {
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

  test("of 32 callers that ask one thing after the other, however slow, is answered whole", () => {
    const { turn } = driven();
    for (let i = 0; i < 100; i++) expect(turn(32, 20)).toBe(0);
  });
});

test("one slow request sheds no others", () => {
  const { request } = driven();
  expect(request(5000)).toBe(false);
  for (let i = 0; i < 31; i++) expect(request(1)).toBe(false);
});

describe("answers that wait for the store", () => {
  test("a thousand of a burst, and no more", () => {
    const { guard } = driven();
    for (let i = 0; i < 1000; i++) expect(guard.tryAcquire()).toBe(true);
    expect(guard.tryAcquire()).toBe(false);
    guard.release();
    expect(guard.tryAcquire()).toBe(true);
  });

  test("48 once the store has not caught up for a tenth of a second, though the loop is idle meanwhile", () => {
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
