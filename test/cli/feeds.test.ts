// A calendar feed's life on the command line, as a running server sees it.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { done, prepared, rollcallHere, whileServing } from "./command.ts";

const WORKERS =
  "id,firstName,lastName,email,startDate,status,type,isBusiness\nwrk_ana,Ana,Sol,ana@example.com,2024-01-01,active,employee,no\n";
const POLICIES =
  "id,name,schedule,minutesPerPeriod,paid,timeOffTypeName,unit\ntop_a,Annual leave,monthly,600,yes,Vacation,day\n";

const inFolderWithWorkers = prepared(async (folder) => {
  await done(folder, "companies", "create", "acme");
  writeFileSync(join(folder, "workers.csv"), WORKERS);
  writeFileSync(join(folder, "policies.csv"), POLICIES);
  await done(folder, "import", "workers.csv", "policies.csv", "--company", "acme");
});

function withCompany(work: (folder: string, feeds: Run) => Promise<void>): Promise<void> {
  return inFolderWithWorkers((folder) => work(folder, (...args) => rollcallHere(folder, ["feeds", ...args])));
}

type Run = (...args: string[]) => ReturnType<typeof rollcallHere>;

interface ListedFeed {
  readonly id: string;
  readonly status: string;
  readonly lastFetchedAt: string | null;
}

test(
  "a feed is created, fetched, rotated and revoked; a running server follows at once",
  () =>
    withCompany(async (folder, feeds) => {
      const listed = async (): Promise<ListedFeed[]> => JSON.parse((await feeds("list", "--json")).stdout);
      const none = await feeds("list");
      expect(none.stdout).toContain("There are no feeds yet");
      const serving = ["serve", "--port", "0", "--log", "none"];
      await whileServing(folder, serving, async (address, _printed, server) => {
        const status = async (url: string) => (await fetch(url)).status;
        const made = await feeds("create", "--company", "acme", "--url", `${address}/`, "--quiet");
        const url = made.stdout.trim();
        expect(url).toMatch(new RegExp(`^${address}/calendar/rc_[0-9A-Za-z]{38}\\.ics$`));
        expect(await status(url)).toBe(200);
        const [first] = await listed();
        expect(first).toMatchObject({ status: "active", lastFetchedAt: null });

        const rotated = await feeds("rotate", first!.id, "--url", address, "--quiet");
        expect(await status(url)).toBe(404);
        const next = rotated.stdout.trim();
        expect(await status(next)).toBe(200);
        expect((await listed()).map((feed) => feed.status)).toEqual(["revoked", "active"]);
        expect((await feeds("rotate", first!.id)).stderr).toContain("is revoked: create a new one");

        server.kill("SIGTERM"); // the last fetches are noted at the latest when it stops
        await server.exited;
      });
      const feed = (await listed())[1]!;
      expect(Date.parse(feed.lastFetchedAt!)).toBeGreaterThan(Date.now() - 60_000);
      const revoked = await feeds("revoke", feed.id);
      expect(revoked.stdout).toContain(`Revoked feed ${feed.id}`);
      expect((await listed()).map(({ status }) => status)).toEqual(["revoked", "revoked"]);
    }),
  120_000,
);

test(
  "what is created is described in words, and shown once",
  () =>
    withCompany(async (_folder, feeds) => {
      const args = ["--workers", "wrk_ana", "--types", "employee", "--policies", "top_a", "--show", "policy"];
      const made = await feeds("create", "--company", "acme", "--name", "Team", ...args, "--pending");
      const address = /\/calendar\/rc_\w{38}\.ics/.exec(made.stdout)![0];
      expect(made.stdout).toContain("Save it now: it is not shown again");
      expect(made.stdout).toContain("It works until it is revoked.");
      const list = await feeds("list", "--company", "acme");
      expect(list.stdout).toContain("1 worker, employees, 1 policy, policy names, pending too");
      expect(list.stdout).not.toContain(address.slice(12, 30));
      const expiring = await feeds("create", "--company", "acme", "--expires", "2099-05-01", "--json");
      expect(JSON.parse(expiring.stdout)).toMatchObject({
        show: "busy",
        withPending: false,
        workers: [],
        expiresAt: "2099-05-02T00:00:00.000Z",
        status: "active",
      });
    }),
  120_000,
);

test(
  "what is wrong is said before anything is created",
  () =>
    withCompany(async (_folder, feeds) => {
      const create = (...args: string[]) => feeds("create", "--company", "acme", ...args);
      const wrong: [args: string[], exitCode: number, message: string][] = [
        [
          ["--workers", "ana"],
          2,
          '--workers: "ana" is not the id of a worker: it begins with wrk_, as rollcall workers list --csv shows it',
        ],
        [["--workers", "wrk_ana,wrk_gone"], 1, "has no workers with these ids: wrk_gone"],
        [["--types", "boss"], 2, '--types: "boss" is not one of employee, contractor'],
        [["--show", "reason"], 2, '--show: "reason" is not one of busy, policy'],
        [
          ["--url", "rollcall.example.com"],
          2,
          'must begin with http:// or https://: write "http://rollcall.example.com"',
        ],
      ];
      const all = wrong.map(([args, exitCode, message]) => ({ ended: create(...args), exitCode, message }));
      all.push(
        {
          ended: feeds("create", "--company", "nobody"),
          exitCode: 1,
          message: 'There is no company "nobody"',
        },
        { ended: feeds("revoke", "feed_nobody"), exitCode: 1, message: 'There is no feed "feed_nobody"' },
        { ended: feeds("revoke", "/calendar/rc_1.ics"), exitCode: 2, message: "do not type its address" },
      );
      for (const { ended, exitCode, message } of all) {
        const { stderr, exitCode: code } = await ended;
        expect(stderr).toContain(message);
        expect(code).toBe(exitCode);
      }
      expect((await feeds("list", "--json")).stdout.trim()).toBe("[]");
    }),
  120_000,
);
