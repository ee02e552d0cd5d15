import { expect, test } from "bun:test";
import { Rollcall, type Worker } from "../../src/client/index.ts";
import { fullName } from "../../src/web/data/people.ts";
import { TODAY } from "./demo-server.ts";
import { useWeb } from "./visit.ts";

const web = useWeb();

const client = () => new Rollcall({ baseUrl: web.server.address, apiKey: web.server.keys.all });

/** Someone with a balance that accrues, of which something is used and something is held. */
async function somebody() {
  const rollcall = client();
  const balances = await rollcall.balances.list().toArray();
  const balance = balances.find(({ used, holds, available }) => used > 0 && holds > 0 && available > 0)!;
  return { worker: await rollcall.workers.retrieve(balance.workerId), balance };
}

test("everybody is in the list, and the search finds them without accents and by position", async () => {
  await web.visit("/people", async (page) => {
    await page.getByText("250 people").waitFor();
    const { displayName } = (await client().workers.list().toArray()).find(({ displayName }) =>
      /ñ/.test(displayName),
    )!;
    await page.getByRole("searchbox").fill(displayName.replaceAll("ñ", "n"));
    await page.getByRole("link", { name: displayName }).first().waitFor();
    await page.getByRole("searchbox").fill("engineer");
    await page.waitForURL(/name=engineer/);
    await page.getByRole("searchbox").fill("nobody is called this");
    await page.getByText("Nobody matches this search.").waitFor();
  });
});

test("a preferred name comes with the full one, and both are found", async () => {
  const worker = (await client().workers.list().toArray()).find(
    ({ preferredName, displayName, firstName, isBusiness }) =>
      !isBusiness && preferredName === displayName && !displayName.includes(firstName),
  )!;
  const full = fullName(worker)!;
  expect(full.split(" ")).toContain(worker.firstName);
  await web.visit("/people", async (page) => {
    for (const name of [worker.displayName, full]) {
      await page.getByRole("searchbox").fill(name);
      const row = page.getByRole("link", { name: `${worker.displayName} ${full} · ` });
      await row.first().click();
      await page.getByRole("heading", { level: 1, name: worker.displayName }).waitFor();
      await page.getByText(`${full} · `).waitFor();
      await page.goBack();
    }
  });
});

test("the full name is shown only when the display name leaves a part of it out", () => {
  const named = (displayName: string, firstName: string, lastName: string) =>
    fullName({ displayName, firstName, lastName } as Worker); // nothing else is looked at
  expect(named("Bill", "William", "Harris")).toBe("William Harris");
  expect(named("Bill Harris", "William", "Harris")).toBe("William Harris");
  expect(named("William Harris", "William", "Harris")).toBeNull();
  expect(named("Harris, William", "William", "Harris")).toBeNull();
  expect(named("Jose Garcia", "José", "García")).toBeNull();
  expect(named("이하은", "하은", "이")).toBeNull();
  expect(named("Ken", "健一", "田中")).toBe("田中 健一");
  expect(named("Acme Ltd", "Beth", "")).toBe("Beth");
});

test("a long list renders only the rows in sight, and scrolls to its end", async () => {
  await web.visit("/people", async (page) => {
    const items = page.getByRole("list", { name: "People" }).getByRole("listitem");
    await items.first().waitFor();
    expect(await items.count()).toBeLessThan(60);
    await page.keyboard.press("End");
    await page.locator("[aria-posinset='250']").waitFor();
  });
});

test("a person's page has their balances as the API gives them", async () => {
  const { worker, balance } = await somebody();
  const policy = await client().policies.retrieve(balance.policyId);
  const shown = (minutes: number) => {
    const value = Math.round((minutes / (policy.unit === "day" ? 480 : 60)) * 100) / 100;
    return value.toLocaleString("en-GB", { maximumFractionDigits: 2 });
  };
  await web.visit(`/people/${worker.id}`, async (page) => {
    await page.getByRole("heading", { level: 1, name: worker.displayName }).waitFor();
    const panel = page.locator(".panel", { has: page.getByRole("link", { name: policy.name, exact: true }) });
    for (const [name, minutes] of [
      ["Used", balance.used],
      ["Held", balance.holds],
      ["Available", balance.available],
      ["Locked", balance.accruedLocked],
    ] as const) {
      const part = panel.locator(".balance-parts > div", { hasText: name });
      expect(await part.locator("dd").textContent()).toMatch(
        new RegExp(`^${RegExp.escape(shown(minutes))} `),
      );
    }
  });
});

test("the line shows the year so far and its projection", async () => {
  const { worker, balance } = await somebody();
  const yearEnd = `${TODAY.slice(0, 4)}-12-31`;
  const [then] = await client()
    .balances.list({ workerIds: [worker.id], policyIds: [balance.policyId], endDate: yearEnd })
    .toArray();
  const policy = await client().policies.retrieve(balance.policyId);
  const projected = (then!.available + then!.accruedLocked) / (policy.unit === "day" ? 480 : 60);
  await web.visit(`/people/${worker.id}`, async (page) => {
    const panel = page.locator(".panel", { has: page.getByRole("link", { name: policy.name, exact: true }) });
    await panel.getByText("projected").first().waitFor();
    await panel.locator("figure[aria-busy=false]").waitFor();
    const label = await panel.locator(".projected-label").textContent();
    expect(Number.parseFloat(label!.replaceAll(",", ""))).toBeCloseTo(projected, 1);
    await panel.getByText(/^Numbers of/).click();
    const lastRow = panel.getByRole("row").last();
    expect(await lastRow.textContent()).toContain("31 Dec");
    await page.getByRole("button", { name: "Next year" }).click();
    await panel.getByText("Numbers of 2027").waitFor();
  });
});

test("a person's requests are all there, in their own time zone", async () => {
  const { worker } = await somebody();
  const requests = await client()
    .requests.list({ workerIds: [worker.id] })
    .toArray();
  await web.visit(`/people/${worker.id}`, async (page) => {
    await page.locator(".requests tbody tr").first().waitFor();
    expect(await page.locator(".requests tbody tr").count()).toBe(requests.length);
  });
});
