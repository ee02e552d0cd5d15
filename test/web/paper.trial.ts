// What Firefox prints, where `firefox-esr` and `pdftotext` are installed: all rows of a list, and no page without words.
import { afterAll, expect, test } from "bun:test";
import { FIREFOX, type Send, withFirefox } from "../support/firefox.ts";
import { startDemo } from "./demo-server.ts";

const PEOPLE = 120;
const server = await startDemo({ workers: PEOPLE });
afterAll(() => server.stop());

const PDF_TO_TEXT = Bun.which("pdftotext");

/** The words of each printed page, once `ready` is true in it. */
async function printed(send: Send, context: string, path: string, ready: string): Promise<string[]> {
  await send("browsingContext.navigate", { context, url: server.address + path, wait: "complete" });
  const isReady = async () => {
    const { result } = await send("script.evaluate", {
      ...{ expression: ready, target: { context }, awaitPromise: false },
    });
    return (result as { value: boolean }).value;
  };
  while (!(await isReady())) await Bun.sleep(100);
  const { data } = await send("browsingContext.print", { context, background: true });
  const text = Bun.spawn([PDF_TO_TEXT!, "-layout", "-", "-"], {
    stdin: Buffer.from(data as string, "base64"),
  });
  const pages = (await new Response(text.stdout).text()).split("\f");
  return pages.slice(0, -1); // each ends with a form feed
}

test.skipIf(FIREFOX === null || PDF_TO_TEXT === null)("Firefox prints lists and calendars whole", () =>
  withFirefox(async (send) => {
    const { context } = (await send("browsingContext.create", { type: "tab" })) as { context: string };
    const rows = "document.querySelectorAll('tbody tr').length > 10";
    const people = await printed(send, context, `/people#key=${server.keys.all}`, rows);
    const statuses = people.join("").match(/(?:Active|Inactive|Onboarding|Offboarding)$/gm)!;
    expect(statuses).toHaveLength(PEOPLE);
    const bars = "document.querySelectorAll('.absence').length > 5";
    const month = await printed(send, context, "/?view=month&who=everyone", bars);
    for (const page of [...people, ...month]) expect(page.trim()).not.toBe("");
    expect(month.length).toBeGreaterThan(3);
    for (const page of month.slice(0, -1)) expect(page).toContain("Person"); // its days are on each page
  }),
);
