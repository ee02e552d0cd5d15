// Shedding: what a turn of the event loop cannot answer in time is refused; nothing else is.
import { expect, test } from "bun:test";
import { overloadGuard } from "../../../src/http/overload.ts";

/** A guard whose clock and turns the test drives. */
function driven() {
  let clockMs = 0;
  let endTurn = () => {};
  const guard = overloadGuard({
    nowMs: () => clockMs,
    afterTurn: (callback) => {
      endTurn = callback;
    },
  });
  return {
    /** One request that takes so long; whether it was shed. */
    request(tookMs: number): boolean {
      const isShed = guard.sheds();
      if (isShed) return true;
      clockMs += tookMs;
      guard.left();
      return false;
    },
    nextTurn: () => endTurn(),
    guard,
  };
}

test("a turn answers what fits its budget and sheds the rest; the next turn starts afresh", () => {
  const { request, nextTurn } = driven();
  for (let turn = 0; turn < 3; turn++) {
    const shed = Array.from({ length: 500 }, () => request(1)).filter(Boolean).length;
    expect(shed).toBe(299); // 201 requests of 1 ms pass the 200 ms
    nextTurn();
  }
});

test("one slow request sheds no others", () => {
  const { request } = driven();
  expect(request(5000)).toBe(false);
  for (let i = 0; i < 63; i++) expect(request(1)).toBe(false);
});

test("many fast requests in one turn are all answered", () => {
  const { request } = driven();
  expect(Array.from({ length: 5000 }, () => request(0.01)).some(Boolean)).toBe(false);
});

test("a thousand answers may wait for the store, and no more", () => {
  const { guard } = driven();
  for (let i = 0; i < 1000; i++) expect(guard.sheds()).toBe(false);
  expect(guard.sheds()).toBe(true);
  guard.left();
  expect(guard.sheds()).toBe(false);
});
