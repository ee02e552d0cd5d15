// A client keeps within its key's limit, as responses tell it, in whatever order they arrive.
import { expect, spyOn, test } from "bun:test";
import { Pace } from "../../src/client/pace.ts";

/** A response of a server that allows five requests in ten seconds. */
const telling = (left: number, endsInSeconds: number) =>
  new Response(null, {
    headers: { "ratelimit-policy": '"key";q=5;w=10', ratelimit: `"key";r=${left};t=${endsInSeconds}` },
  });

/** Whether another request may start without waiting. */
const isFree = (pace: Pace) =>
  pace.enter(AbortSignal.abort()).then(
    () => true,
    () => false,
  );

test("a response that is overtaken by a later one allows no more than that one did", async () => {
  const pace = new Pace();
  pace.heard(telling(1, 10));
  pace.heard(telling(4, 10));
  expect([await isFree(pace), await isFree(pace)]).toEqual([true, false]);
});

test("a window ends when its first response said, though the whole seconds of the others say later", async () => {
  const clock = spyOn(performance, "now").mockReturnValue(0);
  try {
    const pace = new Pace();
    pace.heard(telling(0, 1));
    clock.mockReturnValue(600);
    pace.heard(telling(0, 1));
    expect(await isFree(pace)).toBe(false);
    clock.mockReturnValue(1000);
    expect(await isFree(pace)).toBe(true);
  } finally {
    clock.mockRestore();
  }
});
