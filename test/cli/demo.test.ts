// The demo: what the README's first command runs.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFolder, PATH_WITH_CURL, rollcall, whileServing } from "./command.ts";

const ARGS = ["demo", "--port", "0", "--workers", "250"];

interface WorkerList {
  readonly data: readonly {
    readonly id: string;
    readonly displayName: string;
    readonly timeZone: string | null;
    readonly status: string;
    readonly type: string;
  }[];
}

test("it serves a company, with a curl line that works as printed, and keeps data and key", async () => {
  await inFolder(async (folder) => {
    let firstKey = "";
    let firstBody = "";
    await whileServing(folder, ARGS, async (address, printed) => {
      firstKey = /rk_[0-9A-Za-z]{38}/.exec(printed)![0];
      const curl = /^ {2}(curl .*)$/m.exec(printed)![1]!;
      const pasted = Bun.spawnSync(["sh", "-c", `${curl} -s`], {
        env: { ...process.env, PATH: PATH_WITH_CURL },
      });
      expect(JSON.parse(pasted.stdout.toString()).count).toBe(3);
      firstBody = await (await fetch(`${address}/v1/workers`, { headers: { "x-api-key": firstKey } })).text();
      for (const path of ["/", "/docs", "/openapi.json"])
        expect((await fetch(address + path)).status).toBe(200);
    });
    expect(statSync(join(folder, "rollcall-demo.db-api-key")).mode & 0o077).toBe(0);
    await whileServing(folder, ARGS, async (address, printed) => {
      expect(printed).toContain(firstKey);
      const body = await (
        await fetch(`${address}/v1/workers`, { headers: { "x-api-key": firstKey } })
      ).text();
      expect(body).toBe(firstBody);
    });
  });
}, 120_000);

test("its company looks like a real one", async () => {
  await inFolder(async (folder) => {
    await whileServing(folder, ARGS, async (address, printed) => {
      const headers = { "x-api-key": /rk_[0-9A-Za-z]{38}/.exec(printed)![0] };
      const workers: WorkerList["data"][number][] = [];
      for (let after = ""; ; after = `&afterId=${workers.at(-1)!.id}`) {
        const page = await fetch(`${address}/v1/workers?limit=100${after}`, { headers });
        const { data, hasMore } = (await page.json()) as WorkerList & { hasMore: boolean };
        workers.push(...data);
        if (!hasMore) break;
      }
      expect(workers).toHaveLength(250);
      const names = workers.map((worker) => worker.displayName).join(" ");
      for (const script of ["Latin", "Han", "Cyrillic", "Arabic"]) {
        expect(names).toMatch(new RegExp(`\\p{Script=${script}}`, "u"));
      }
      expect(new Set(workers.map((worker) => worker.status))).toEqual(
        new Set(["onboarding", "active", "offboarding", "inactive"]),
      );
      expect(new Set(workers.map((worker) => worker.type))).toEqual(new Set(["employee", "contractor"]));
      const zones = workers.map((worker) => worker.timeZone);
      expect(zones.some((zone) => zone?.startsWith("Pacific/"))).toBe(true);
    });
  });
}, 120_000);

test("a first start that was cut short is made good by the next", async () => {
  await inFolder(async (folder) => {
    await rollcall(folder, ["companies", "create", "demo", "--db", "rollcall-demo.db"]);
    await whileServing(folder, ["demo", "--port", "0", "--workers", "20"], async (address, printed) => {
      const headers = { "x-api-key": /rk_[0-9A-Za-z]{38}/.exec(printed)![0] };
      const page = (await (await fetch(`${address}/v1/workers?limit=100`, { headers })).json()) as WorkerList;
      expect(page.data).toHaveLength(20);
    });
  });
}, 120_000);

test("a demo of another version is refused with the remedy; a store that is no demo is not to be removed", async () => {
  await inFolder(async (folder) => {
    await rollcall(folder, ["migrate", "--db", "rollcall-demo.db"]);
    using database = new Database(join(folder, "rollcall-demo.db"));
    database.run("pragma user_version = 9999");
    const refused = async () => {
      const { exitCode, stderr } = await rollcall(folder, ["demo", "--port", "0"]);
      expect(exitCode).toBe(1);
      return stderr;
    };
    expect(await refused()).not.toContain("remove");
    writeFileSync(join(folder, "rollcall-demo.db-api-key"), "");
    expect(await refused()).toBe(
      "rollcall: ./rollcall-demo.db is the demo of another version of Rollcall: remove it and the files whose names begin with its name, and start again\n",
    );
  });
});
