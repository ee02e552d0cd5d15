// The leave passport, downloaded on a person's page: the file is whole, and computes the same figures offline.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { Rollcall } from "../../../src/client/index.ts";
import { useWeb } from "../visit.ts";

const web = useWeb({ workers: 20 });

async function downloaded(page: Page, name = "Download the leave passport"): Promise<string> {
  const button = page.getByRole("button", { name });
  await button.waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  expect(download.suggestedFilename()).toMatch(/^leave-passport-.+\.html$/);
  return await download.path();
}

test("a person's page gives the whole file, whose figures come out the same without a server", async () => {
  const client = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const workers = await client.workers.list({ statuses: ["active"] }).toArray();
  // Without a locale, Chromium gives a download with other letters another name.
  const worker = workers.find(({ displayName }) => /^[ -~]+$/.test(displayName));
  await web.visit(
    `/people/${worker!.id}`,
    async (page) => {
      const path = await downloaded(page);
      const data = JSON.parse(/id="passport">(.*?)<\/script>/s.exec(readFileSync(path, "utf8"))![1]!);
      expect(data.worker.id).toBe(worker!.id);
      const offline = await page.context().newPage();
      await page.context().setOffline(true);
      await offline.setContent(readFileSync(path, "utf8"));
      await offline.locator("#checked").waitFor();
      expect(await offline.locator("#checked").getAttribute("class")).toBe("same");
      await offline.close();
    },
    { profile: {} },
  );
  await web.visit(
    `/people/${worker!.id}`,
    async (page) => {
      const html = readFileSync(await downloaded(page, "Urlaubspass herunterladen"), "utf8");
      expect(html).toContain('<html lang="de-CH" dir="ltr">');
      const offline = await page.context().newPage();
      await offline.setContent(html);
      await offline.getByRole("heading", { name: `Urlaubspass von ${worker!.displayName}` }).waitFor();
    },
    { profile: { locale: "de-CH" } },
  );
});
