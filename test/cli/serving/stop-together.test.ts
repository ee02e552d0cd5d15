// Several processes on one port stop in step: a caller is refused once they have stopped, but no connection is reset.
import { test } from "bun:test";
import { stopTogether } from "./stop-together.ts";

test.each([
  ["the parent alone", false],
  ["all of them, as a service manager does", true],
])("SIGTERM to %s", async (_, isSentToAll) => {
  await stopTogether(1, isSentToAll);
});
