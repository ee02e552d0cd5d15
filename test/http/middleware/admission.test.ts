// Load shedding refuses requests that could not be answered in time, and no others. Property: a caller that uses less than
// its fair share of the server is never refused, and waits only for the requests that are running, whatever others send.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fairAdmission, type Release } from "../../../src/http/middleware/admission.ts";

/** What became of a request: null while it waits. `waitedMs` until it ran, or was shed. */
interface Outcome {
  isShed: boolean | null;
  waitedMs: number;
}

/** Admission with a clock and turns of the event loop that the test drives. */
function driven() {
  let clockMs = 1_000_000;
  let callbacks: (() => void)[] = [];
  const admission = fairAdmission({
    nowMs: () => clockMs,
    nextTurn: (callback) => {
      callbacks.push(callback);
    },
  });
  /** Sends a request that runs for this long. */
  const send = (tookMs: number, share = "a"): Outcome => {
    const sentAtMs = clockMs;
    const outcome: Outcome = { isShed: null, waitedMs: 0 };
    const run = (release: Release | null) => {
      outcome.isShed = release === null;
      outcome.waitedMs = clockMs - sentAtMs;
      if (release === null) return;
      clockMs += tookMs;
      release();
    };
    const due = admission.acquire(share);
    if (due instanceof Promise) void due.then(run);
    else run(due);
    return outcome;
  };
  /** Ends the turn of the event loop: what was scheduled for the next one runs. */
  const endTurn = async () => {
    const due = callbacks;
    callbacks = [];
    for (const callback of due) {
      callback();
      await Bun.sleep(0); // lets what the callback resolved run
    }
  };
  return {
    admission,
    send,
    endTurn,
    now: () => clockMs,
    wait: (ms: number) => {
      clockMs += ms;
    },
    /** Handles requests of one share that are ready together; returns how many were shed. */
    async turn(requests: number, tookMs: number, idleMs = 0): Promise<number> {
      const outcomes = Array.from({ length: requests }, () => send(tookMs));
      expect(outcomes.every(({ isShed }) => isShed !== null)).toBe(true);
      await endTurn();
      clockMs += idleMs;
      return outcomes.filter(({ isShed }) => isShed).length;
    },
    /** Ends turns until nothing is scheduled. */
    async drain() {
      while (callbacks.length > 0) await endTurn();
    },
  };
}

const IDLE_MS = 2;

describe("a burst of one share", () => {
  test("may fill 100 ms; the rest is shed", async () => {
    expect(await driven().turn(500, 1)).toBe(399); // 101 requests of 1 ms pass the 100 ms
  });

  test("of many fast requests is admitted completely", async () => {
    expect(await driven().turn(5000, 0.01)).toBe(0);
  });

  test("is admitted again once the queue was empty", async () => {
    const { turn } = driven();
    for (let burst = 0; burst < 20; burst++) expect(await turn(90, 1, IDLE_MS)).toBe(0);
  });

  test("is admitted by a server that was idle for long", async () => {
    const { turn, wait } = driven();
    for (let i = 0; i < 10; i++) await turn(500, 1);
    wait(60_000);
    expect(await turn(90, 1)).toBe(0);
  });
});

describe("a queue of one share that stays non-empty for 100 ms", () => {
  test("is reduced to 32 requests or 5 ms a turn, whichever is more", async () => {
    const { turn } = driven();
    await turn(500, 1);
    expect(await turn(150, 1)).toBe(118);
    expect(await turn(150, 0.1)).toBe(150 - 51); // 51 requests of 0.1 ms pass the 5 ms
  });

  test("stays reduced until nothing was shed for a second", async () => {
    const { turn, wait } = driven();
    await turn(500, 1, IDLE_MS);
    expect(await turn(90, 1, IDLE_MS)).toBe(58);
    wait(900);
    expect(await turn(90, 1, IDLE_MS)).toBe(58);
    wait(900);
    expect(await turn(10, 1, IDLE_MS)).toBe(0);
    wait(100);
    expect(await turn(90, 1, IDLE_MS)).toBe(0);
  });

  test("of 32 callers that wait for each response, however slow, is admitted completely", async () => {
    const { send, drain } = driven();
    for (let i = 0; i < 100; i++) {
      const outcomes = Array.from({ length: 32 }, () => send(20));
      await drain();
      expect(outcomes.map(({ isShed }) => isShed)).toEqual(Array(32).fill(false));
    }
  });
});

test("one slow request sheds no others", async () => {
  const { send, drain } = driven();
  const outcomes = [send(5000), ...Array.from({ length: 31 }, () => send(1))];
  await drain();
  expect(outcomes.map(({ isShed }) => isShed)).toEqual(Array(32).fill(false));
});

test("what is left of a turn after 100 ms waits for later turns, so that another caller is read before it", async () => {
  const { send, endTurn, drain } = driven();
  const flood = Array.from({ length: 32 }, () => send(60));
  expect(flood.filter(({ isShed }) => isShed === null)).toHaveLength(30); // two ran, for 120 ms
  await endTurn();
  const other = send(1, "other");
  await drain();
  expect(other).toMatchObject({ isShed: false });
  expect(other.waitedMs).toBeLessThanOrEqual(120);
  expect(flood.every(({ isShed }) => isShed === false)).toBe(true);
});

describe("requests that wait for the store", () => {
  /** Acquires `count` times for one share; the releases of what was admitted at once. */
  const acquire = ({ admission }: ReturnType<typeof driven>, count: number): Release[] =>
    Array.from({ length: count }, () => admission.acquire("a")).flatMap((due) =>
      due === null || due instanceof Promise ? [] : [due],
    );

  test("a burst may have a thousand in flight, and no more", () => {
    const scene = driven();
    const releases = acquire(scene, 1001);
    expect(releases.length).toBe(1000);
    releases[0]!();
    expect(acquire(scene, 2).length).toBe(1);
  });

  test("48 may be in flight once the store has lagged for 100 ms, even if the event loop is idle", async () => {
    const scene = driven();
    const releases = acquire(scene, 100);
    expect(await scene.turn(1, 0, IDLE_MS)).toBe(0);
    scene.wait(101);
    expect(acquire(scene, 1).length).toBe(0);
    for (let i = 0; i < 53; i++) releases.shift()!();
    expect(acquire(scene, 2).length).toBe(1);
  });

  test("another share may start one, though a burst is in flight; its next waits until 48 are left", async () => {
    const scene = driven();
    const releases = acquire(scene, 1000);
    const others = [scene.admission.acquire("b"), scene.admission.acquire("b")];
    expect(others[0]).toBeFunction();
    let isAdmitted = false;
    void Promise.resolve(others[1]!).then(() => {
      isAdmitted = true;
    });
    await scene.drain();
    expect(isAdmitted).toBe(false);
    for (let i = 0; i < 960; i++) releases.shift()!();
    await scene.drain();
    expect(isAdmitted).toBe(true);
  });
});

describe("fair shares", () => {
  test("a caller with few requests is served before those that a flood has queued", async () => {
    const { send, endTurn, drain } = driven();
    for (let i = 0; i < 4; i++) send(0, i % 2 === 0 ? "few" : "flood");
    const flood = Array.from({ length: 1000 }, () => send(38, "flood"));
    const few = Array.from({ length: 5 }, () => send(1, "few"));
    for (let i = 0; i < 3; i++) await endTurn();
    expect(few.map(({ isShed }) => isShed)).toEqual([false, false, false, false, false]);
    await drain();
    expect(flood.filter(({ isShed }) => isShed).length).toBeGreaterThan(900);
  });

  test("the first request of another caller is served, though a flood has filled the turn", async () => {
    const { send, drain } = driven();
    const flood = Array.from({ length: 500 }, () => send(1, "flood"));
    const few = send(1, "few");
    await drain();
    expect(flood.filter(({ isShed }) => isShed).length).toBe(399);
    expect(few.isShed).toBe(false);
  });

  test("equal floods get equal parts, whatever their requests cost", async () => {
    const { send, endTurn, now } = driven();
    const usedMs = { cheap: 0, dear: 0 };
    const outcomes: [outcome: Outcome, name: keyof typeof usedMs, tookMs: number][] = [];
    const untilMs = now() + 2000;
    while (now() < untilMs) {
      for (let i = 0; i < 40; i++) outcomes.push([send(1, "cheap"), "cheap", 1]);
      for (let i = 0; i < 5; i++) outcomes.push([send(20, "dear"), "dear", 20]);
      await endTurn();
    }
    for (const [{ isShed }, name, tookMs] of outcomes) if (isShed === false) usedMs[name] += tookMs;
    expect(usedMs.cheap / usedMs.dear).toBeWithin(0.7, 1.4);
  });

  test("more requests than fit in the queues are shed from the longest one", async () => {
    const { send, drain } = driven();
    send(60, "flood");
    const few = [send(0.001, "few")];
    const flood = Array.from({ length: 2000 }, () => send(0.001, "flood"));
    for (let i = 0; i < 9; i++) few.push(send(0.001, "few"));
    await drain();
    expect(flood.filter(({ isShed }) => isShed).length).toBe(10);
    expect(few.some(({ isShed }) => isShed)).toBe(false);
  });

  test("no request waits longer than 3 s", async () => {
    const { send, drain } = driven();
    send(10, "a");
    const outcomes = Array.from({ length: 20 }, (_, number) => send(400, `caller ${number}`));
    await drain();
    expect(outcomes.filter(({ isShed }) => isShed).length).toBe(12);
    for (const { isShed, waitedMs } of outcomes) if (!isShed) expect(waitedMs).toBeLessThanOrEqual(3000);
  });

  test("a caller within its fair share is never shed, whatever others send", async () => {
    const flooder = fc.record({
      requestsPerTurn: fc.integer({ min: 0, max: 40 }),
      tookMs: fc.double({ min: 0.01, max: 40, noNaN: true }),
    });
    const scene = fc.record({
      flooders: fc.array(flooder, { minLength: 1, maxLength: 6 }),
      tookMs: fc.double({ min: 0.01, max: 5, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(scene, async ({ flooders, tookMs }) => {
        const { send, endTurn, now, wait } = driven();
        // Half of the fair share: each of n callers may have an n-th of the time.
        const everyMs = tookMs * (flooders.length + 1) * 2;
        const outcomes: Outcome[] = [];
        let nextAtMs = now();
        for (let turn = 0; turn < 60; turn++) {
          flooders.forEach((one, number) => {
            for (let i = 0; i < one.requestsPerTurn; i++) send(one.tookMs, `flooder ${number}`);
          });
          if (now() >= nextAtMs) {
            outcomes.push(send(tookMs, "modest"));
            nextAtMs = now() + everyMs;
          }
          wait(0.1);
          await endTurn();
        }
        for (let i = 0; i < 40; i++) await endTurn();
        const longestMs =
          5 + 2 * Math.max(tookMs, ...flooders.map((one) => one.tookMs)) + flooders.length * 40;
        for (const { isShed, waitedMs } of outcomes) {
          expect(isShed).toBe(false);
          expect(waitedMs).toBeLessThan(longestMs);
        }
      }),
      { numRuns: 50 },
    );
  }, 120_000);
});
