// After a sign-out the browser's Back shows nobody's data, though Firefox keeps the earlier page as it was.
import { expect, test } from "bun:test";
import { FIREFOX, type Send, withFirefox } from "../../support/firefox.ts";
import { startDemo } from "../demo-server.ts";

/** Evaluates JavaScript in the page until it is true; returns whether it is within a few seconds. */
async function comes(send: Send, context: string, expression: string): Promise<boolean> {
  for (let tries = 0; tries < 50; tries++) {
    const asked = { expression, target: { context }, awaitPromise: false };
    const { result } = await send("script.evaluate", asked);
    if ((result as { value?: unknown }).value === true) return true;
    await Bun.sleep(100);
  }
  return false;
}

const CLICK = (text: string) =>
  `[...document.querySelectorAll("button")].some((button) => button.textContent === "${text}" && (button.click(), true))`;

test.skipIf(FIREFOX === null)(
  "a key that was signed out in a later page of the tab shows nothing in an earlier one",
  async () => {
    const server = await startDemo({ workers: 20, demo: false });
    try {
      await withFirefox(async (send) => {
        const { context } = (await send("browsingContext.create", { type: "tab" })) as { context: string };
        const open = (path: string) =>
          send("browsingContext.navigate", { context, url: server.address + path, wait: "complete" });
        await open("/docs");
        const store = `sessionStorage.setItem("rollcall.key", "${server.keys.all}"), true`;
        expect(await comes(send, context, store)).toBe(true);
        await open("/people");
        expect(await comes(send, context, `document.querySelector("table") !== null`)).toBe(true);
        await open("/docs");
        await open("/policies");
        expect(await comes(send, context, CLICK("Sign out"))).toBe(true);
        expect(await comes(send, context, `sessionStorage.length === 0`)).toBe(true);
        await send("browsingContext.traverseHistory", { context, delta: -2 }); // over /docs
        expect(await comes(send, context, `location.pathname === "/people"`)).toBe(true);
        const isSignIn = `!document.querySelector("table") && document.body.innerText.includes("API key")`;
        expect(await comes(send, context, isSignIn)).toBe(true);
      });
    } finally {
      await server.stop();
    }
  },
);
