// The page whose server signs people in at an identity provider: a real one, in a real browser.
import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { ProviderSignIn } from "../../../src/http/provider-sign-in.ts";
import { USUAL_CLAIMS } from "../../../src/http/sign-in.ts";
import { expectAccessible } from "../../support/browser.ts";
import { type IdentityProvider, startIdentityProvider } from "../../support/identity-provider.ts";
import { expectNoSidewaysScroll, useWeb } from "../visit.ts";

const USERS = {
  "hr@example.com": { groups: ["hr"] },
  "staff@example.com": { groups: ["staff"] },
  "guest@example.com": { groups: ["guests"] },
};

let provider: IdentityProvider;
const web = useWeb({
  workers: 30,
  demo: false,
  async signInAt(address) {
    provider = await startIdentityProvider("unused", USERS, [{ id: "rollcall", address }]);
    return new ProviderSignIn({
      issuer: provider.issuer,
      clientId: "rollcall",
      clientSecret: null,
      origin: address,
      sessionKey: new Uint8Array(32).fill(1),
      sessionMs: 3_600_000,
      rules: [
        { group: "hr", companyId: "demo", access: "everything" },
        { group: "staff", companyId: "demo", access: "away" },
      ],
      claims: USUAL_CLAIMS,
      contact: "people@example.com",
    });
  },
});
afterAll(() => provider.stop());

/** Signs in at the provider's own forms, and consents the first time. */
async function signInAs(page: Page, user: string): Promise<void> {
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator('input[name="login"]').fill(user);
  await page.locator('input[name="password"]').fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

const visit = (path: string, look: (page: Page) => Promise<unknown>) =>
  web.visit(path, look, { key: null, expectErrors: true, profile: {} });

test("somebody signs in, sees their name on every view, and signs out here and at the provider", () =>
  visit("/people?status=active", async (page) => {
    await page.getByText("Sign in with your company’s account.").waitFor();
    expect(await page.locator("input").count()).toBe(0);
    await expectAccessible(page);
    await signInAs(page, "hr@example.com");
    await page.getByRole("table").waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/people?status=active");
    await expectAccessible(page);
    for (const width of [1440, 1000, 768, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const view of ["Requests", "Balances", "Policies", "Who is away"]) {
        await page.getByRole("navigation").getByRole("link", { name: view }).click();
        await page.getByText("hr@example.com").waitFor();
        await page.getByRole("button", { name: "Sign out" }).waitFor();
        await expectNoSidewaysScroll(page);
      }
    }
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Yes, sign me out" }).click(); // at the provider
    await page.getByText("Sign in with your company’s account.").waitFor();
    expect(await page.context().cookies(web.server.address)).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ name: "rollcall-session" })]),
    );
    await page.goBack();
    await page.goto(`${web.server.address}/people`);
    await page.getByRole("button", { name: "Sign in" }).waitFor();
  }));

test("somebody whose session ends on an open page signs in again, and is where they were", () =>
  visit("/", async (page) => {
    await signInAs(page, "staff@example.com");
    await page.locator(".away-list").first().waitFor();
    await page.goto(`${web.server.address}/?view=month`);
    await page.getByRole("navigation").waitFor();
    await page.context().clearCookies({ name: "rollcall-session" });
    await page.getByRole("button", { name: "Next month" }).click();
    await page.getByText("Your sign-in has ended. Sign in again.").waitFor();
    await expectAccessible(page);
    const at = page.url();
    await page.keyboard.press("Enter"); // the provider still knows them
    await page.getByText("staff@example.com").waitFor();
    expect(page.url()).toBe(at);
  }));

test("somebody who may see nothing is told whom to ask, and can sign out", () =>
  visit("/", async (page) => {
    await signInAs(page, "guest@example.com");
    await page
      .getByText(
        "You are signed in as guest@example.com, but none of your groups (guests) may see anything here. Ask people@example.com.",
      )
      .waitFor();
    expect(await page.locator("input").count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Yes, sign me out" }).waitFor();
  }));

test.each([
  ["expired", "took too long"],
  ["refused", "did not let you in"],
  ["unnamed", "by a confirmed address"],
  ["unavailable", "cannot be reached right now"],
])("a failed sign-in is explained: %s", (why, text) =>
  visit(`/?signIn=${why}`, async (page) => {
    await page.getByRole("status").getByText(text).waitFor();
    expect(new URL(page.url()).search).toBe("");
    await page.getByRole("button", { name: "Sign in" }).waitFor();
  }),
);
