// Property: whatever the language, the number format and the time zone of the machine, the command and the server give the same: ids,
// days, numbers, order and letters.
import { expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateCompany } from "../../src/generate/generate.ts";
import { done, inFolder, rollcall, start } from "./command.ts";

/** In Turkish, I and i are not one letter. In Cairo there are days without a midnight. */
const MACHINES = [
  { LC_ALL: "C", LANG: "C", TZ: "UTC" },
  { LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8", LANGUAGE: "tr", TZ: "Africa/Cairo" },
  { LC_ALL: "", LANG: "de_DE.UTF-8", LC_NUMERIC: "de_DE.UTF-8", LC_TIME: "de_DE", TZ: "Pacific/Auckland" },
];

const PEOPLE = `Kennung;Name;Mail;Eintritt;Anteil
I1;Işık, İbrahim;IŞIK.İ@EXAMPLE.COM;01.03.2024;1.234,5
i2;Zoë, Äda;ADA@Example.com;24.04.2026;0,5
ß3;Ångström, Øda;ß@example.com;29.10.2023;7
`;

const column = (theirs: string, ours: string | readonly string[]) => ({ [theirs]: ours });
const MAPPING = {
  workers: {
    from: "Leute.csv",
    delimiter: ";",
    columns: {
      ...column("Kennung", "legacyId"),
      ...column("Name", "fullName"),
      ...column("Mail", ["email", "workEmail"]),
      ...column("Eintritt", "startDate"),
    },
    values: { status: "active", type: "employee", isBusiness: false },
    dates: "dd.MM.yyyy",
    ignore: "*",
  },
  policies: {
    rows: [
      {
        legacyId: "URLAUB",
        name: "Urlaub",
        timeOffTypeName: "Urlaub",
        paid: true,
        unit: "day",
        isUnlimited: false,
        schedule: "yearly",
        minutesPerPeriod: 9600,
      },
    ],
  },
  assignments: {
    from: "Leute.csv",
    delimiter: ";",
    columns: column("Kennung", "workerId"),
    values: { policyId: "URLAUB", startsOn: "2020-01-01" },
    ignore: "*",
  },
  openings: {
    from: "Leute.csv",
    delimiter: ";",
    columns: { ...column("Kennung", "workerId"), ...column("Anteil", "minutes") },
    values: { policyId: "URLAUB", date: "2025-01-01" },
    units: { minutes: "hours" },
    decimal: ",",
    ignore: "*",
  },
};

const CALENDAR = ["20260424", "20111230", "20260329", "20261025"].map(
  (day) =>
    `BEGIN:VEVENT\nUID:${day}\nDTSTART;VALUE=DATE:${day}\nRRULE:FREQ=YEARLY;COUNT=30\nSUMMARY:Day ${day}\nEND:VEVENT\n`,
);

/** Everything that a company made on such a machine is, but for the times of this test. */
async function everything(
  folder: string,
  key: string,
  machine: Readonly<Record<string, string>>,
): Promise<string> {
  const said: string[] = [];
  const run = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await rollcall(folder, args, machine);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    said.push(stdout, stderr);
    return stdout;
  };
  await run("import", "made", "--company", "acme");
  await run("import", "given", "--company", "acme", "--map", "acme.map.json");
  await run("export", "--company", "acme", "--out", "out");
  const server = start(folder, ["serve", "--port", "0", "--today", "2026-06-01"], machine);
  let address: string | undefined;
  for await (const bytes of server.stdout) {
    address = /http:\/\/\S+/.exec(new TextDecoder().decode(bytes))?.[0];
    if (address !== undefined) break;
  }
  for (const [path, accept] of [
    ["/v1/workers", "text/csv"],
    ["/v1/workers?workEmail=i%C5%9F%C4%B1k.i%CC%87%40example.com", "application/json"],
    ["/v1/time_off/balances", "text/csv"],
    ["/v1/time_off/days?from=2026-03-01&to=2026-06-30", "text/csv"],
  ] as const)
    said.push(await (await fetch(address + path, { headers: { "x-api-key": key, accept } })).text());
  server.kill();
  await server.exited;
  const out = join(folder, "out");
  for (const name of readdirSync(out).sort()) said.push(readFileSync(join(out, name), "utf8"));
  return said
    .join("\n")
    .replaceAll(/rk_\w+|key_\w+/g, "KEY")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) =>
      Date.now() - Date.parse(time) < 600_000 ? "NOW" : time,
    );
}

test("everything is the same on each machine", () =>
  inFolder(async (made) => {
    await generateCompany({ outDir: join(made, "made"), workers: 20, seed: 1, today: "2026-03-01" });
    await done(made, "companies", "create", "acme", "--time-zone", "Europe/Istanbul");
    const key = await done(made, "keys", "create", "--company", "acme", "--quiet");
    const results: string[] = [];
    for (const machine of MACHINES)
      await inFolder(async (folder) => {
        cpSync(made, folder, { recursive: true });
        mkdirSync(join(folder, "given"));
        writeFileSync(join(folder, "given/Leute.csv"), PEOPLE);
        writeFileSync(
          join(folder, "made/Kairo.ics"),
          `BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n${CALENDAR.join("")}END:VCALENDAR\n`,
        );
        writeFileSync(join(folder, "acme.map.json"), JSON.stringify(MAPPING));
        results.push(await everything(folder, key, machine));
      });
    for (const day of ["Kairo,2026-04-24", "Kairo,2026-03-29", "Kairo,2030-12-30"])
      expect(results[0]).toContain(day);
    const withoutTimes = (result: string) => result.replaceAll(/ Writing took [\d.]+ s\./g, "");
    for (const result of results.slice(1)) expect(withoutTimes(result)).toBe(withoutTimes(results[0]!));
  }));
