import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { Rollcall } from "../../src/client/index.ts";
import { useWeb } from "./visit.ts";

const web = useWeb({ workers: 60 });

test("every policy is described in plain words and leads to the people who have it", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const policies = await rollcall.policies.list().toArray();
  const monthly = policies.find(({ schedule }) => schedule === "monthly")!;
  const holders = await rollcall.assignments.list({ policyIds: [monthly.id] }).toArray();
  await web.visit("/policies", async (page) => {
    await page.getByRole("heading", { level: 2 }).first().waitFor();
    expect(await page.getByRole("heading", { level: 2 }).count()).toBe(policies.length);
    await page.getByText("Unlimited: there is no set amount.").first().waitFor();

    await page.getByRole("link", { name: monthly.name, exact: true }).click();
    await page.getByText(/every month, which makes .* a year\./).waitFor();
    await page.getByText(holders.length === 1 ? "1 person" : `${holders.length} people`).waitFor();
    expect(page.url()).toBe(`${web.server.address}/policies/${monthly.id}`);
  });
});

test("the policies can be downloaded as CSV", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const policies = await rollcall.policies.list().toArray();
  await web.visit(
    "/policies",
    async (page) => {
      await page.getByRole("button", { name: "Export" }).click();
      await page.getByText("/v1/time_off/policies").waitFor();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download CSV" }).click(),
      ]);
      const rows: Record<string, string>[] = parse(readFileSync(await download.path()), {
        bom: true,
        columns: true,
      });
      expect(rows.map(({ Policy }) => Policy!).toSorted()).toEqual(
        policies.map(({ name }) => name).toSorted(),
      );
      expect(rows.every(({ Grants, Pay }) => Grants !== "" && Pay !== "")).toBe(true);
    },
    { acceptDownloads: true },
  );
});

test("a policy has a link of its own", async () => {
  const rollcall = new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });
  const [policy] = (await rollcall.policies.list().page()).data;
  await web.visit(`/policies/${policy!.id}`, async (page) => {
    await page.getByRole("heading", { level: 1, name: policy!.name }).waitFor();
  });
});
