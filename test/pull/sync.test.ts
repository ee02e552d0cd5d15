// rollcall sync: a pull and an import in one, as a timer runs it.
import { afterAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Ended, inFolder, rollcall, rollcallHere, start } from "../cli/command.ts";
import { json, status } from "./fakes/fake.ts";
import { KEY as ENV, System } from "./system.ts";

const system = await System.start();
afterAll(() => system.fake.stop());

const SYNC = ["sync", "hr.pull.json", "--company", "acme", "--today", "2026-03-10"];

async function inCompany(
  work: (folder: string, run: (...args: string[]) => Promise<Ended>) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    await rollcallHere(folder, ["companies", "create", "acme"]);
    system.write(folder);
    system.fake.fault = () => null;
    await work(folder, (...args) => rollcallHere(folder, [...SYNC, ...args], ENV));
  });
}

/** How many workers and requests the company has. */
async function counts(folder: string): Promise<string> {
  const { stdout } = await rollcallHere(folder, ["companies", "show", "acme", "--json"]);
  const { workers, requests } = JSON.parse(stdout).counts;
  return `${workers ?? 0} ${requests ?? 0}`;
}

const pulledOf = (folder: string) => join(folder, "rollcall.db-pulled/acme");

test("a mistake in the mapping ends a sync before any request", () =>
  inCompany(async (folder, run) => {
    writeFileSync(
      join(folder, "hr.map.json"),
      '{"workers": {"from": "people.json", "columns": {"name": "surname"}}}',
    );
    const asked = system.fake.asked.length;
    const ended = await run();
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain("hr.map.json: workers.columns.name");
    expect(system.fake.asked.length).toBe(asked);
  }));

test("pulls and imports with the mapping beside the pull file, and keeps the last good folder", () =>
  inCompany(async (folder, run) => {
    const first = await run();
    expect(first).toMatchObject({ exitCode: 0 });
    expect(first.stdout).toContain("Imported into acme.");
    expect(await counts(folder)).toBe("2 3");
    expect(readdirSync(pulledOf(folder)).sort()).toEqual(["leave.json", "people.json", "pull.json"]);
    const kept = readFileSync(join(pulledOf(folder), "pull.json"), "utf8");
    // The same folder, imported by hand, changes nothing.
    const byHand = await rollcallHere(folder, [
      "import",
      pulledOf(folder),
      "--company",
      "acme",
      "--map",
      "hr.map.json",
    ]);
    expect(byHand).toMatchObject({ exitCode: 0, stderr: "" });
    expect(byHand.stdout).toContain("nothing had changed");
    // Beside other files, or in part, nothing says that the pull asked only for recent leave: older leave would be removed.
    writeFileSync(join(folder, "work_hours.csv"), "workerId,date,minutes\nE1,2026-03-02,480\n");
    for (const paths of [[pulledOf(folder), "work_hours.csv"], [join(pulledOf(folder), "leave.json")]]) {
      const part = await rollcallHere(folder, [
        "import",
        ...paths,
        "--company",
        "acme",
        "--map",
        "hr.map.json",
        "--prune",
      ]);
      expect([part.exitCode, part.stderr]).toEqual([2, expect.stringContaining("import its folder alone")]);
    }
    const show = await rollcallHere(folder, ["companies", "show", "acme"]);
    expect(show.stdout).toContain("rollcall import");
    // An import that is refused leaves company and folder as they were.
    const { people } = system;
    system.people = [...people, { id: "E1", leave: [] }];
    const refused = await run();
    system.people = people;
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain("nothing was imported");
    expect(await counts(folder)).toBe("2 3");
    expect(readFileSync(join(pulledOf(folder), "pull.json"), "utf8")).toBe(kept);
    expect(readdirSync(join(folder, "rollcall.db-pulled")).sort()).toEqual(["acme", "acme.lock"]);
    // Who is gone from the API is removed.
    system.people = people.slice(0, 1);
    const pruned = await run();
    system.people = people;
    expect(pruned).toMatchObject({ exitCode: 0 });
    expect(await counts(folder)).toMatch(/^1 /);
    // Deleting the company deletes what was pulled for it, and what a killed sync left.
    for (const left of [".new", ".before"])
      cpSync(pulledOf(folder), pulledOf(folder) + left, { recursive: true });
    await rollcallHere(folder, ["companies", "delete", "acme", "--yes"]);
    expect(readdirSync(join(folder, "rollcall.db-pulled"))).toEqual(["acme.lock"]);
  }));

test("a policy change without a date is refused, or applies from a day on", () =>
  inCompany(async (folder, run) => {
    expect(await run()).toMatchObject({ exitCode: 0 });
    const path = join(folder, "hr.map.json");
    const raised = readFileSync(path, "utf8").replace("9600", "12000");
    writeFileSync(path, raised);
    const refused = await run();
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain("PTO on 2026-01-01: 2 people,");
    writeFileSync(path, raised.replace('"policies":{', '"policies":{"changes":"nextPeriod",'));
    const night = await run();
    expect(night).toMatchObject({ exitCode: 0 });
    expect(night.stderr).toContain("PTO: minutesPerPeriod applies from 2026-03-10 on");
    writeFileSync(path, raised.replace("12000", "13000"));
    expect(await run("--rules-from", "2027-01-01")).toMatchObject({ exitCode: 0 });
  }));

test("an API that is away is exit code 4, a wrong key 1, and the company stays as it was", () =>
  inCompany(async (folder, run) => {
    await run();
    system.fake.fault = () => status(503, "", { "retry-after": "0" });
    const away = await run();
    expect(away.exitCode).toBe(4);
    expect(away.stderr).toBe(
      "rollcall: nothing was imported: people.json: GET people: responded 503, in 8 tries. Try again later\n",
    );
    system.fake.fault = () => null;
    const denied = await rollcallHere(folder, SYNC, { HR_KEY: "wrong" });
    expect(denied.exitCode).toBe(1);
    expect(denied.stderr).toBe(
      "rollcall: nothing was imported: people.json: GET people: responded 401: who are you?\n",
    );
    expect(await counts(folder)).toBe("2 3");
    expect(readdirSync(join(folder, "rollcall.db-pulled")).sort()).toEqual(["acme", "acme.lock"]);
    const { lastFailure } = JSON.parse(
      (await rollcallHere(folder, ["companies", "show", "acme", "--json"])).stdout,
    );
    expect(lastFailure).toMatchObject({
      outcome: "failed",
      mapping: "hr.map.json",
      reason: "people.json: GET people: responded 401", // what the API said may name people
    });
    expect(lastFailure.command).toBe(
      "rollcall sync hr.pull.json --today 2026-03-10 --company acme --map hr.map.json",
    );
  }));

test("a file whose rows moved in each walk is imported, and nothing is pruned by it", () =>
  inCompany(async (folder, run) => {
    await run();
    const pullFile = JSON.parse(readFileSync(join(folder, "hr.pull.json"), "utf8"));
    pullFile.files["leave.json"].pages = { page: "page", first: 1 };
    writeFileSync(join(folder, "hr.pull.json"), JSON.stringify(pullFile));
    const { people } = system;
    // E2 and the leave of both have gone. The leave that remains is another in each walk.
    system.people = [{ id: "E1", leave: [] }];
    let count = 0;
    system.fake.fault = (_, path) =>
      path !== "/leave"
        ? null
        : json(count++ % 3 > 0 ? [] : [{ id: `N${count}`, person: "E1", day: "2026-06-01" }]);
    const moving = await run();
    [system.people, system.fake.fault] = [people, () => null];
    expect(moving).toMatchObject({ exitCode: 0 });
    expect(moving.stderr).toContain(
      "note: no requests are pruned: rows of leave.json moved while they were pulled, so some may be missing",
    );
    expect(await counts(folder)).toBe("2 4"); // E2 has leave that was not pruned
  }));

test("doctor and the list of imports say when the last pull began, and why the last one failed", () =>
  inCompany(async (folder, run) => {
    await run();
    system.fake.fault = () => status(403, "no right to leave");
    await run();
    const { startedAt } = JSON.parse(readFileSync(join(pulledOf(folder), "pull.json"), "utf8"));
    const list = await rollcallHere(folder, ["imports", "list", "--company", "acme", "--json"]);
    const reason = "people.json: GET people: responded 403";
    expect(JSON.parse(list.stdout)).toMatchObject([{ pulledAt: startedAt }, { outcome: "failed", reason }]);
    const doctor = await rollcallHere(folder, ["doctor"]);
    expect(doctor.stdout).toContain(`of a pull that began ${startedAt}`);
    expect(doctor.stdout).toContain(reason);
  }));

test("mistakes are told before anything is asked for", () =>
  inCompany(async (folder, run) => {
    const asked = system.fake.asked.length;
    expect(await run("--every", "0s")).toMatchObject({ exitCode: 2 });
    expect(await run("--every", "30d")).toMatchObject({ exitCode: 2 });
    expect(await run("--today", "today")).toMatchObject({ exitCode: 2 });
    expect(await rollcallHere(folder, SYNC)).toMatchObject({ exitCode: 1 });
    const other = await rollcallHere(folder, ["sync", "hr.pull.json", "--company", "acne"], ENV);
    expect(other.stderr).toContain('There is no company "acne"');
    writeFileSync(join(folder, "hr.json"), "{}");
    expect((await rollcallHere(folder, ["sync", "hr.json", "--company", "acme"], ENV)).stderr).toContain(
      "--map is missing",
    );
    mkdirSync(join(folder, "rollcall.db-pulled"));
    writeFileSync(join(folder, "rollcall.db-pulled/acme.lock"), "not a lock");
    expect((await rollcallHere(folder, SYNC, ENV)).stderr).toContain(
      "acme.lock cannot be written (SQLITE_NOTADB)",
    );
    expect(system.fake.asked.length).toBe(asked);
  }));

test("again and again until SIGTERM, from start to start, and beside no other sync", () =>
  inCompany(async (folder) => {
    const child = start(folder, [...SYNC, "--every", "1s"], ENV);
    const stderr = new Response(child.stderr).text();
    try {
      const runs = () => system.fake.asked.filter((one) => one === "GET /people").length;
      const before = runs();
      while (runs() === before) await Bun.sleep(20);
      const second = await rollcallHere(folder, SYNC, ENV);
      expect(second.exitCode).toBe(1);
      expect(second.stderr).toContain("another sync of acme is running");
      // A run that fails is followed by the next.
      system.fake.fault = () => status(400, "no");
      const failing = runs();
      while (runs() < failing + 2) await Bun.sleep(20);
      system.fake.fault = () => null;
      const right = runs();
      while (runs() < right + 2) await Bun.sleep(20);
    } finally {
      child.kill("SIGTERM");
    }
    expect([0, 143]).toContain(await child.exited); // between two runs, or in one
    const told = await stderr;
    expect(told).toMatch(/rollcall: \S+: sync ended, and held the company for \d+\.\d s/);
    const begun = [...told.matchAll(/rollcall: (\S+): sync begins/g)].map(([, at]) => Date.parse(at!));
    expect(begun.length).toBeGreaterThanOrEqual(4);
    expect(begun).toEqual(begun.toSorted((one, other) => one - other));
    expect(await counts(folder)).toBe("2 3");
    expect(await rollcallHere(folder, SYNC, ENV)).toMatchObject({ exitCode: 0 }); // the lock is free
  }));

test("no host but that of the API is spoken to: a proxy sees every request that the process makes", () =>
  inCompany(async (folder) => {
    const seen: string[] = [];
    const proxy = createServer((asked, response) => {
      seen.push(asked.url!); // of a request there is one
      void fetch(asked.url!, { headers: { authorization: asked.headers.authorization ?? "" } })
        .then((answer) => answer.text())
        .then((text) => response.end(text));
    }).on("connect", (asked, socket) => {
      seen.push(`CONNECT ${asked.url}`);
      socket.destroy();
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`; // it listens
    const { exitCode } = await rollcall(folder, SYNC, { ...ENV, HTTP_PROXY: address, HTTPS_PROXY: address });
    proxy.close();
    expect(exitCode).toBe(0);
    expect(seen).toEqual([`${system.fake.url}/people`, `${system.fake.url}/leave?from=2026-01-09`]);
  }));

test("a signal in a pull ends it, and leaves nothing beside the folder", () =>
  inCompany(async (folder) => {
    system.fake.fault = () => "silent";
    const asked = system.fake.asked.length;
    const child = start(folder, SYNC, ENV);
    while (system.fake.asked.length === asked) await Bun.sleep(20);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(143);
    expect(await new Response(child.stderr).text()).toBe("rollcall: interrupted: nothing was imported\n");
    expect(readdirSync(join(folder, "rollcall.db-pulled"))).toEqual(["acme.lock"]);
  }));

test("no argument, message or file of a process has the key", () =>
  inCompany(async (folder) => {
    const { stdout, stderr, exitCode } = await rollcall(folder, SYNC, ENV);
    expect([exitCode, stderr]).toEqual([0, ""]);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const texts = files.map((one) => readFileSync(join(one.parentPath, one.name), "latin1"));
    expect([stdout, ...texts].filter((text) => text.includes("the-key"))).toEqual([]);
    rmSync(pulledOf(folder), { recursive: true });
  }));
