// The leave passport, downloaded on a person's page: the file is whole, and computes the same figures offline.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { Rollcall } from "../../../src/client/index.ts";
import { goOn, useWeb } from "../visit.ts";

const web = useWeb({ workers: 20 });

async function downloaded(
  page: Page,
  name = "Download the leave passport",
  called = /^Leave-passport-.+\.html$/,
) {
  const button = page.getByRole("button", { name });
  await button.waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  expect(download.suggestedFilename()).toMatch(called);
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
      const html = readFileSync(
        await downloaded(page, "Urlaubspass herunterladen", /^Urlaubspass-.+\.html$/),
        "utf8",
      );
      expect(html).toContain('<html lang="de-CH" dir="ltr">');
      const offline = await page.context().newPage();
      await offline.setContent(html);
      await offline.getByRole("heading", { name: `Urlaubspass von ${worker!.displayName}` }).waitFor();
    },
    { profile: { locale: "de-CH" } },
  );
});

test("the files of exports are called in the viewer's language, with their days", () =>
  web.visit(
    "/requests",
    async (page) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: ".xlsx herunterladen" }).click(),
      ]);
      expect(download.suggestedFilename().normalize("NFC")).toBe("Anträge.xlsx");
      await goOn(page, "/balances?on=2026-11-30");
      await page.getByRole("heading", { level: 1, name: "Salden am 30. Nov. 2026" }).waitFor();
      const [later] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: ".xlsx herunterladen" }).click(),
      ]);
      expect(later.suggestedFilename()).toBe("Salden-2026-11-30.xlsx");
    },
    { profile: { locale: "de-CH" } },
  ));
