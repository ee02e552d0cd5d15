// The same as stop-together.all.test.ts, for longer.
import { test } from "bun:test";
import { stopTogether } from "./stop-together.ts";

test.each([false, true])(
  "20 stops, SIGTERM to all processes: %p",
  async (isSentToAll) => {
    console.log(`${await stopTogether(20, isSentToAll)} responses`);
  },
  600_000,
);
