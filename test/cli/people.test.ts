// What operators see without a server is what the API gives.
import { expect, setSystemTime, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "csv-parse/sync";
import { withCompany } from "../../src/cli/commands/list-objects.ts";
import type { Company } from "../../src/store/store.ts";
import { SMALL, TestCompany, workersCsv } from "../support/import-files.ts";
import { workbookRows } from "../support/workbook-rows.ts";
import { inFolderWithCompany, rollcallHere, whileServing } from "./command.ts";

interface Listed {
  readonly data: readonly { readonly id: string }[];
  readonly hasMore: boolean;
}

test("what a command shows is of one version, also if an import ends while it reads", async () => {
  const company = await TestCompany.open();
  await company.import(SMALL);
  let reads = 0;
  const pages = await withCompany({ db: company.path, company: company.id }, async (reader) => {
    const first = await reader.list("workers", { limit: 5 }, []);
    if (reads++ === 0) await company.import({ "workers.csv": workersCsv("E1", "E2", "E3") });
    return [first, await reader.list("workers", { limit: 5 }, [])];
  });
  expect([reads, ...pages.map(({ docs }) => docs.length)]).toEqual([2, 3, 3]);
  await company.store.close();
});

test("companies set keeps the retention, history and colours that it is not told of", async () => {
  const company = await TestCompany.open();
  await company.import(SMALL);
  const set = async (...args: string[]) => {
    const of = ["companies", "set", company.id, "--db", company.path, ...args];
    const { exitCode, stdout } = await rollcallHere(dirname(company.path), of);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^Changed company acme\.\n/)]); // no days moved
    const [{ id, name, timeZone, history, retention, colors }] = (await company.store.companies()) as [
      Company,
    ];
    return { id, name, timeZone, history, retention, colors: JSON.parse(colors ?? "{}") };
  };
  const chosen = ["--history", "forever", "--retention", "leavers=3y", "--time-zone", "Asia/Tokyo"];
  const before = await set(...chosen, "--color", "Vacation=blue");
  expect(before).toMatchObject({ history: "forever", retention: "leavers=3y", timeZone: "Asia/Tokyo" });
  expect(Object.values(before.colors)).toEqual(["blue"]);
  expect(await set("--name", "Acme Ltd")).toEqual({ ...before, name: "Acme Ltd" });
  expect(await set("--color", "Vacation=none")).toEqual({ ...before, name: "Acme Ltd", colors: {} });
  await company.store.close();
});

test("workers and balances are those of the API, whole, on any day", () =>
  inFolderWithCompany(async (folder) => {
    await rollcallHere(folder, ["generate", "--out", "made", "--workers", "130"]);
    await rollcallHere(folder, ["import", "made", "--company", "acme"]);
    const key = (
      await rollcallHere(folder, ["keys", "create", "--company", "acme", "--quiet"])
    ).stdout.trim();
    const shown = async (...args: string[]) => {
      const { exitCode, stdout, stderr } = await rollcallHere(folder, [...args, "--company", "acme"]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      return stdout;
    };
    await whileServing(folder, ["serve", "--port", "0", "--log", "none"], async (address) => {
      const all = async (path: string) => {
        const data: { readonly id: string }[] = [];
        for (let hasMore = true; hasMore; ) {
          const after = data.length === 0 ? "" : `&afterId=${data.at(-1)!.id}`;
          const response = await fetch(`${address}${path}limit=100${after}`, {
            headers: { "x-api-key": key },
          });
          const page = (await response.json()) as Listed; // the list's form
          data.push(...page.data);
          hasMore = page.hasMore;
        }
        return data;
      };
      const workers = await all("/v1/workers?");
      expect(workers).toHaveLength(130);
      expect(JSON.parse(await shown("workers", "list", "--json"))).toEqual(workers);
      const balances = await all("/v1/time_off/balances?endDate=2027-03-01&");
      expect(JSON.parse(await shown("balances", "--on", "2027-03-01", "--json"))).toEqual(balances);
      const ofToday = await all(`/v1/time_off/balances?endDate=${new Date().toISOString().slice(0, 10)}&`);
      expect(JSON.parse(await shown("balances", "--json"))).toEqual(ofToday); // leave to come does not count
    });
    const csv = (await shown("balances", "--csv")).split("\n");
    expect(csv[0]).toBe("worker,legacyId,name,policy,policy name,balance,available,locked,used,pending");
    expect(csv[1]).toMatch(/^wrk_\w+,E\d+,/);
    const [columns = ""] = (await shown("workers", "list")).split("\n");
    expect(columns.split(/ {2,}/)).toEqual(
      "id,displayName,legacyId,department.name,manager.displayName,status,type,startDate,endDate".split(","),
    );
    expect((await shown("workers", "list", "--csv")).split("\n")[0]).toContain(",workEmail,");
  }));

test("balances on a day before a whole page of openings are none, and the command ends", () =>
  inFolderWithCompany(async (folder) => {
    const ids = Array.from({ length: 130 }, (_, at) => `E${1000 + at}`);
    const files = {
      workers: [
        "legacyId,firstName,lastName,email,startDate,isBusiness,type",
        ...ids.map((id) => `${id},Ana,Lind,${id}@acme.example,2020-01-01,false,employee`),
      ],
      policies: [
        "legacyId,name,paid,schedule,minutesPerPeriod,timeOffTypeName,unit",
        "PTO,Leave,true,yearly,9600,Vacation,day",
      ],
      assignments: ["workerId,policyId,startsOn", ...ids.map((id) => `${id},PTO,2020-01-01`)],
      openings: ["workerId,policyId,date,minutes", ...ids.map((id) => `${id},PTO,2026-06-30,480`)],
    };
    mkdirSync(join(folder, "taken-over"));
    for (const [name, rows] of Object.entries(files))
      writeFileSync(join(folder, "taken-over", `${name}.csv`), `${rows.join("\n")}\n`);
    await rollcallHere(folder, ["import", "taken-over", "--company", "acme"]);
    const balancesOn = async (day: string) => {
      const { exitCode, stdout } = await rollcallHere(folder, [
        ...["balances", "--company", "acme", "--on", day, "--json"],
      ]);
      expect(exitCode).toBe(0);
      return JSON.parse(stdout) as unknown[];
    };
    expect(await balancesOn("2026-01-01")).toEqual([]);
    expect(await balancesOn("2026-06-30")).toHaveLength(130);
  }));

test("each column of the balances of the README's company has what its heading says", () =>
  inFolderWithCompany(async (folder) => {
    const example = join(import.meta.dir, "../../examples/acme");
    await rollcallHere(folder, ["import", example, "--company", "acme", "--map", `${example}.map.json`]);
    const command = ["balances", "--company", "acme", "--on", "2026-12-31", "--csv"];
    setSystemTime(Date.parse("2026-11-30T12:00:00Z")); // what is granted after today is locked
    const { stdout } = await rollcallHere(folder, command).finally(() => setSystemTime());
    // Françoise took ten days in August, and asked for seven from 23 December to 1 January: seven of eight weekdays are by the 31st. The
    // 600 minutes of December are locked. Haru was at the dentist for half a day.
    expect(stdout.replaceAll(/(?<=wrk_|top_)\w+/g, "…")).toBe(
      [
        "worker,legacyId,name,policy,policy name,balance,available,locked,used,pending",
        "wrk_…,E1,Françoise Lind,top_…,Annual leave,1860,1260,600,4800,2940",
        "wrk_…,E1,Françoise Lind,top_…,Sick leave,0,0,0,0,0",
        "wrk_…,E3,Duarte & Filhos Lda,top_…,Contractor time off,30,30,0,0,0",
        "wrk_…,E2,Haru,top_…,Annual leave,9360,8760,600,240,0",
        "wrk_…,E2,Haru,top_…,Sick leave,0,0,0,0,0",
        "",
      ].join("\n"),
    );
  }));

test("a spreadsheet gets names whole: CSV with a byte-order mark, or a workbook that only its owner reads", () =>
  inFolderWithCompany(async (folder) => {
    await rollcallHere(folder, ["generate", "--out", "made", "--workers", "40"]);
    await rollcallHere(folder, ["import", "made", "--company", "acme"]);
    const run = (...args: string[]) => rollcallHere(folder, [...args, "--company", "acme"]);
    const file = join(folder, "rows.xlsx");
    for (const command of [["workers", "list"], ["balances"], ["movements"], ["expirations"]]) {
      const { stdout: plain } = await run(...command, "--csv");
      expect(plain).not.toStartWith("\ufeff");
      expect((await run(...command, "--csv=excel")).stdout).toBe(`\ufeff${plain}`);
      expect(await run(...command, "--xlsx", file)).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const rows: Record<string, string>[] = parse(plain, { columns: true });
      expect(await workbookRows(file)).toEqual(rows);
      rmSync(file);
    }
    expect((await run("balances", "--csv=excel")).stdout).toMatch(/[^\0-\x7f\ufeff]/);
    expect(await run("balances", "--csv=word")).toMatchObject({ exitCode: 2, stdout: "" });
    expect((await run("balances", "--csv", "--xlsx", file)).stderr).toContain("leave out --csv and --json");
    const { exitCode, stderr } = await run("balances", "--xlsx", join(folder, "none", "rows.xlsx"));
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("--xlsx: ")]);
  }));

test("a name that a spreadsheet would run has an apostrophe before it as CSV, and none as JSON", () =>
  inFolderWithCompany(async (folder) => {
    await rollcallHere(folder, ["generate", "--out", "made", "--workers", "20"]);
    const path = join(folder, "made", "workers.csv");
    const [header, first, ...rest] = readFileSync(path, "utf8").split("\n");
    const columns = header!.split(",");
    const cells = first!.split(",");
    for (const column of ["displayName", "preferredName"]) {
      const at = columns.indexOf(column);
      if (at !== -1) cells[at] = "=1+1";
    }
    writeFileSync(path, [header, cells.join(","), ...rest].join("\n"));
    await rollcallHere(folder, ["import", "made", "--company", "acme"]);
    const shown = async (flag: string) =>
      (await rollcallHere(folder, ["workers", "list", "--company", "acme", flag])).stdout;
    expect(await shown("--csv")).toContain(`,"'=1+1",`);
    const json = await shown("--json");
    expect(json).toContain('"=1+1"');
    expect(json).not.toContain("'=1+1");
  }));

test("an unknown company, a day that is none, one that is too far ahead, and a company without workers", () =>
  inFolderWithCompany(async (folder) => {
    const none = await rollcallHere(folder, ["workers", "list", "--company", "other"]);
    expect(none).toMatchObject({ exitCode: 1, stdout: "" });
    expect(none.stderr).toContain('There is no company "other"');
    const wrong = await rollcallHere(folder, ["balances", "--company", "acme", "--on", "31.12.2026"]);
    expect(wrong).toMatchObject({ exitCode: 2, stdout: "" });
    const far = await rollcallHere(folder, ["balances", "--company", "acme", "--on", "2999-01-01"]);
    expect(far.exitCode).toBe(1);
    expect(far.stderr).toContain("--on: ");
    const shown = async (...args: string[]) =>
      (await rollcallHere(folder, [...args, "--company", "acme"])).stdout;
    expect(await shown("workers", "list")).toContain("nothing yet");
    // Programs that read CSV need the header, also of nothing.
    expect(await shown("workers", "list", "--csv")).toMatch(
      /^id,businessName,.*,department.id,department.name,.*\n$/,
    );
    expect(await shown("balances", "--csv")).toMatch(/^worker,legacyId,.*,pending\n$/);
  }));

test("companies show tells by what the last import came, what became of its rows, and which one failed", () =>
  inFolderWithCompany(async (folder) => {
    await rollcallHere(folder, ["generate", "--out", "made", "--workers", "9"]);
    const show = async () =>
      JSON.parse((await rollcallHere(folder, ["companies", "show", "acme", "--json"])).stdout);
    expect(await show()).toMatchObject({ lastImport: null, lastFailure: null });

    // A command that is mistyped is no failed import.
    await rollcallHere(folder, ["import", "made", "--company", "acme", "--map", "nowhere.json"]);
    await rollcallHere(folder, ["import", "nowhere", "--company", "acme"]);
    expect(await show()).toMatchObject({ lastFailure: null });

    writeFileSync(join(folder, "workers.csv"), "legacyId,status\n1,Secret Status\n2,x\n");
    await rollcallHere(folder, ["import", "workers.csv", "--company", "acme"]);
    await rollcallHere(folder, ["import", "made", "--company", "acme", "--prune"]);
    const { lastImport, lastFailure } = await show();
    expect(lastImport).toMatchObject({
      command: "rollcall import made --company acme --prune",
      mapping: null,
      moreFiles: 0,
      rows: { changed: 0, removed: 0, quarantined: 0 },
    });
    expect(lastImport.files).toContainEqual(expect.objectContaining({ kind: "workers", added: 9 }));
    expect(lastFailure).toMatchObject({ outcome: "refused", mapping: null });

    await rollcallHere(folder, ["import", "workers.csv", "--company", "acme"]);
    await rollcallHere(folder, ["import", "workers.csv", "--company", "acme", "--dry-run"]);
    const text = (await rollcallHere(folder, ["companies", "show", "acme"])).stdout;
    expect(text).toMatch(
      /^last failed import +20\S+Z\n +by +rollcall import workers.csv --company acme, refused/m,
    );
    expect(text).toMatch(/^ +by +rollcall import made --company acme --prune \(Rollcall \d/m);
    expect(text).toMatch(/^ +rows +\d+ added$/m);
    expect(text).not.toContain("Secret");
  }));

test("companies show counts what is stored, and says when it was imported", () =>
  inFolderWithCompany(async (folder) => {
    const before = JSON.parse((await rollcallHere(folder, ["companies", "show", "acme", "--json"])).stdout);
    expect(before).toMatchObject({ counts: { workers: 0 }, lastImportedAt: null, objectBytes: 0 });
    const made = JSON.parse(
      (await rollcallHere(folder, ["generate", "--out", "made", "--workers", "9", "--json"])).stdout,
    );
    await rollcallHere(folder, ["import", "made", "--company", "acme"]);
    const after = JSON.parse((await rollcallHere(folder, ["companies", "show", "acme", "--json"])).stdout);
    expect(after.counts).toMatchObject({ workers: 9, requests: made.requests, policies: made.policies });
    expect(Date.parse(after.lastImportedAt)).toBeGreaterThan(Date.now() - 60_000);
    const text = (await rollcallHere(folder, ["companies", "show", "acme"])).stdout;
    expect(text).toMatch(/^workers +9$/m);
    expect((await rollcallHere(folder, ["companies", "show", "other"])).stderr).toContain(
      'There is no company "other"',
    );
  }));

test("companies set --time-zone says how many requests have other days, and an import of local days moves them back", () =>
  inFolderWithCompany(async (folder) => {
    const leave = "person,kind,first,last\nE1,PTO,2026-03-02,2026-03-03\n";
    writeFileSync(join(folder, "leave.csv"), leave);
    writeFileSync(
      join(folder, "people.csv"),
      "legacyId,firstName,lastName,email,isBusiness,startDate,status,type\nE1,Ana,Lind,a@x.com,no,2020-01-01,active,employee\n",
    );
    const map = {
      workers: { from: "people.csv" },
      policies: {
        rows: [{ legacyId: "PTO", name: "PTO", timeOffTypeName: "PTO", schedule: "unlimited" }],
        values: { paid: true, unit: "day" },
      },
      assignments: { rows: [{ workerId: "E1", policyId: "PTO", startsOn: "2026-01-01" }] },
      requests: {
        from: "leave.csv",
        columns: { person: "workerId", kind: "timeOffPolicyId", first: "startAt", last: "endAt" },
        dates: "yyyy-MM-dd",
        endDay: "included",
        hoursPerDay: 8,
        values: { legacyId: "R1", createdAt: "{first}", status: "approved" },
      },
    };
    writeFileSync(join(folder, "map.json"), JSON.stringify(map));
    const run = (...args: string[]) => rollcallHere(folder, args);
    const load = () => run("import", "people.csv", "leave.csv", "--company", "acme", "--map", "map.json");
    const usedOn = async (day: string) =>
      JSON.parse((await run("balances", "--company", "acme", "--on", day, "--json")).stdout)[0].used;
    await run("companies", "set", "acme", "--time-zone", "Europe/Madrid");
    expect(await load()).toMatchObject({ exitCode: 0 });
    expect([await usedOn("2026-03-01"), await usedOn("2026-03-03")]).toEqual([0, 960]);
    const moved = await run("companies", "set", "acme", "--time-zone", "America/New_York");
    expect(moved.stdout).toBe(
      "Changed company acme. The days of 1 request moved with the time zone: if the source writes local days, import again.\n",
    );
    expect(await usedOn("2026-03-01")).toBeGreaterThan(0);
    await load();
    expect([await usedOn("2026-03-01"), await usedOn("2026-03-03")]).toEqual([0, 960]);
  }));

test("companies set changes what it names, of that company, and nothing else", () =>
  inFolderWithCompany(async (folder) => {
    const run = (...args: string[]) => rollcallHere(folder, args);
    await run("companies", "create", "other", "--name", "Other");
    const about = async (id: string): Promise<Record<string, unknown>> => {
      const { name, timeZone, history, retention, lastChangedAt } = JSON.parse(
        (await run("companies", "show", id, "--json")).stdout,
      );
      return { name, timeZone, history, retention, lastChangedAt };
    };
    const other = await about("other");
    let expected = await about("acme");
    for (const [property, option, value, stored] of [
      ["name", "--name", "Acme Ltd", "Acme Ltd"],
      ["timeZone", "--time-zone", "Asia/Tokyo", "Asia/Tokyo"],
      ["timeZone", "--time-zone", "none", null],
      ["history", "--history", "forever", "forever"],
      ["history", "--history", "30mo", "30mo"],
      ["retention", "--retention", "leavers=3y, reasons=1y", "leavers=3y, reasons=1y"],
      ["retention", "--retention", "none", null],
    ] as const) {
      if (property === "retention") {
        await run("companies", "set", "acme", option, value, "--dry-run");
        expect(await about("acme")).toEqual(expected);
      }
      const { exitCode, stderr } = await run("companies", "set", "acme", option, value);
      expect([exitCode, stderr]).toEqual([0, ""]);
      expected = { ...expected, [property]: stored };
      expect(await about("acme")).toEqual(expected);
    }
    expect(await about("other")).toEqual(other);
  }));

test("companies set gives a type of time off a colour, by its name or id, and takes it back", () =>
  inFolderWithCompany(async (folder) => {
    writeFileSync(
      join(folder, "policies.csv"),
      "id,name,paid,unit,schedule,minutesPerPeriod,timeOffTypeId,timeOffTypeName\ntop_a,Leave,yes,day,yearly,9600,tot_a,Vacation\n",
    );
    await rollcallHere(folder, ["import", "policies.csv", "--company", "acme"]);
    const set = (color: string) => rollcallHere(folder, ["companies", "set", "acme", "--color", color]);
    expect((await set("Vacation=blue")).exitCode).toBe(0);
    expect((await set("tot_a=none")).exitCode).toBe(0);
    const { stderr, exitCode } = await set("Holiday=blue");
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(
        "names no type of time off of the company: write type=color, with one of Vacation",
      ),
    ]);
    expect((await set("Vacation=pink")).stderr).toContain('"pink" is not one of violet, amber');
  }));
