// Every command with a PostgreSQL store, as an operator runs them; what each does is tested elsewhere.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { Balance } from "../../src/resources/balances.ts";
import { fastFolder } from "../support/fast-folder.ts";
import { type SharedServer, sharedServer } from "../support/postgres.ts";
import { rollcallByEnvironment, rollcallHere, start, whileServing } from "./command.ts";

/** Commands that have no store, or one of their own. */
const WITHOUT_DB = [
  "completions",
  "demo",
  "follow",
  "generate",
  "healthcheck",
  "help",
  "map",
  "mcp",
  "openapi",
];

const PASSWORD = "s3cret/word";

let server: SharedServer;
let folder: string;
let owner: string;
let reader: string;
const called = new Set<string>();

beforeAll(async () => {
  server = await sharedServer();
  owner = await server.createDatabase();
  const database = nameOf(owner);
  const role = `reader_of_${database.slice(-8)}`;
  reader = server.url(database, role, PASSWORD);
  folder = mkdtempSync(join(fastFolder(), "rollcall-cli-postgres-"));
  await done("migrate", "--reader-role", role, "--reader-password", PASSWORD);
  await rollcallHere(folder, ["generate", "--out", "files", "--workers", "30", "--seed", "3"]);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nameOf = (db: string) => new URL(db).pathname.slice(1);

/** Runs a command on the store, by default as its owner, and returns what it printed. */
async function done(...args: string[]): Promise<string> {
  const command = args.includes("--db") || args[0] === "copy" ? args : [...args, "--db", owner];
  const { exitCode, stdout, stderr } = await rollcallByEnvironment(folder, command);
  expect({ args, exitCode, stderr }).toEqual({ args, exitCode: 0, stderr: "" });
  return printed(args, stdout);
}

/** The same for one that makes tables, which servers may not read yet. */
async function madeTables(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await rollcallByEnvironment(folder, args);
  expect({ args, exitCode }).toEqual({ args, exitCode: 0 });
  expect(stderr).toMatch(/^The tables are new: run rollcall migrate with this address.*\n$/);
  return printed(args, stdout);
}

function printed(args: readonly string[], stdout: string): string {
  called.add(args[0]!);
  expect(stdout).not.toContain(":password@"); // of the address
  expect(stdout).not.toContain(PASSWORD);
  return stdout;
}

/** Runs a command that cannot do its work, and returns its message. */
async function refused(...args: string[]): Promise<string> {
  const { exitCode, stderr } = await rollcallByEnvironment(folder, args);
  expect(exitCode).toBe(1);
  expect(stderr).not.toContain("fault of Rollcall");
  expect(stderr).not.toContain(":password@");
  return stderr;
}

/** The files of an export, in one text. */
async function exported(db: string): Promise<string> {
  const out = `out-${crypto.randomUUID()}`;
  await done("export", "--company", "acme", "--out", out, "--db", db);
  const names = readdirSync(join(folder, out)).toSorted();
  return names.map((name) => readFileSync(join(folder, out, name), "utf8")).join("\n");
}

async function imported(): Promise<void> {
  const listed = JSON.parse(await done("companies", "list", "--json")) as { id: string }[]; // its own form
  if (listed.some(({ id }) => id === "acme")) return;
  await done("companies", "create", "acme", "--name", "Acme Ltd");
  // So small a company has nobody under some of its policies.
  const load = ["import", "files", "--company", "acme", "--accept", "unused-policy"];
  expect(await done(...load, "--dry-run")).toContain("Dry run");
  expect(await done(...load)).toContain("Imported into acme.");
}

test("companies, import, export, keys, serve, doctor", async () => {
  await imported();
  expect(await done("companies", "list")).toContain("Acme Ltd");
  const again = ["import", "files", "--company", "acme", "--accept", "unused-policy", "--prune"];
  expect(await done(...again)).toContain("nothing had changed");
  expect(await done("workers", "list", "--company", "acme")).toContain("wrk_");
  expect(await done("balances", "--company", "acme")).toContain("wrk_");
  const span = ["--company", "acme", "--from", "2026-01-01", "--to", "2026-12-31"];
  expect(await done("movements", ...span)).not.toBe("");
  expect(await done("expirations", ...span)).not.toBe("");
  expect(await done("capacity", ...span, "--by", "month")).toContain("2026-01-01");
  const [held] = JSON.parse(await done("balances", "--company", "acme", "--json")) as Balance[]; // its own form
  const leave = ["--worker", held!.workerId, "--policy", held!.policyId, "--from", "2026-08-03"];
  expect(await done("preview", "--company", "acme", ...leave)).toContain("minutes on 1 day");
  const ofCompany = ["--company", "acme"];
  expect(await done("closes", "create", "2025", ...ofCompany, "--through", "2025-12-31")).toContain(
    "Closed 2025:",
  );
  expect(await done("closes", "verify", "2025", ...ofCompany)).toContain("2025 is what was closed:");
  expect(await done("closes", "diff", "2025", ...ofCompany)).toContain("Nothing differs");
  const today = new Date().toISOString().slice(0, 10);
  expect(await done("balances", ...ofCompany, "--known-on", today)).toContain("wrk_");
  expect(await done("closes", "delete", "2025", ...ofCompany, "--yes")).toContain("Deleted");
  const onDay = ["balances", "--company", "acme", "--on", "2025-12-31", "--json"];
  const [balance] = JSON.parse(await done(...onDay)) as Balance[]; // its own form
  const { workerId, policyId, accruedUnlocked, used } = balance!;
  const row = [workerId, policyId, "2025-12-31", accruedUnlocked - used].join(",");
  writeFileSync(join(folder, "reported.csv"), `workerId,policyId,date,minutes\n${row}\n`);
  await done("import", "reported.csv", "--company", "acme");
  expect(await done("reconcile", "--company", "acme")).toContain("1 of 1 agree");
  const simulated = ["simulate", "--policy", "files/policies.csv", "--company", "acme"];
  expect(await done(...simulated)).toContain("have the same");
  expect(await exported(reader)).toBe(await exported(owner));

  await done("hooks", "create", "--company", "acme", "--url", "https://hooks.example.com/rollcall");
  expect(await done("hooks", "list", "--company", "acme")).toContain("hooks.example.com");

  const keys = ["keys", "create", "--company", "acme"];
  const apiKey = (await done(...keys, "--quiet")).trim();
  const other = JSON.parse(await done(...keys, "--json")) as { id: string }; // its own form
  expect(await done("keys", "list", "--company", "acme")).toContain(other.id);
  expect(await done("keys", "rotate", other.id, "--overlap", "1h")).toContain("rk_");
  await done("keys", "revoke", other.id);

  const args = ["serve", "--db", reader, "--port", "0", "--log", "none"];
  await whileServing(folder, args, async (address) => {
    called.add("serve");
    const headers = { "x-api-key": apiKey };
    const list = await fetch(`${address}/v1/workers?limit=100`, { headers });
    expect(list.status).toBe(200);
    expect(await list.json()).toMatchObject({ count: 30, hasMore: false });
    await done("keys", "revoke", ...(await keyIds()));
    await Bun.sleep(1000);
    expect((await fetch(`${address}/v1/workers`, { headers })).status).toBe(401);
  });
  expect(await done("doctor", "--db", reader)).toContain("nothing found");
}, 120_000);

/** The keys that are in use, of which there is one by then. */
async function keyIds(): Promise<string[]> {
  const listed = JSON.parse(await done("keys", "list", "--json")) as { id: string; status: string }[]; // its own form
  return listed
    .filter(({ status }) => status === "active")
    .map(({ id }) => id)
    .slice(0, 1);
}

test("backup and restore, into PostgreSQL and into a file", async () => {
  await imported();
  const before = await exported(owner);
  const made = JSON.parse(await done("backup", "--out", "x.backup", "--db", reader, "--json"));
  expect(made).toMatchObject({ file: "x.backup", rows: { companies: 1, workers: 30 } });

  const unasked = await rollcallHere(folder, ["restore", "x.backup", "--db", owner]);
  expect(unasked).toMatchObject({ exitCode: 2 });
  expect(unasked.stderr).toContain("add --yes to replace everything in it");
  await done("companies", "delete", "acme", "--yes");
  const restored = await done("restore", "x.backup", "--yes");
  expect(restored).toContain("companies 1, ");
  expect(restored).toMatch(
    /From the backup came \d+ keys?\b.*: if any was revoked since then, revoke it again/,
  );
  expect(await exported(owner)).toBe(before);

  const empty = await server.createDatabase();
  await madeTables("restore", "x.backup", "--db", empty);
  await done("restore", "x.backup", "--db", empty, "--yes");
  expect(await exported(empty)).toBe(before);
  await done("restore", "x.backup", "--db", "restored.db");
  expect(await exported("restored.db")).toBe(before);

  expect(await refused("restore", "x.backup", "--yes", "--db", reader)).toContain(
    "This role may not do that",
  );
  expect(await refused("restore", "files", "--db", owner)).toContain("Nothing was changed");
  expect(await refused("backup", "--out", "y.backup", "--db", await server.createDatabase())).toContain(
    "There is no store at",
  );
  expect(existsSync(join(folder, "y.backup"))).toBe(false);
}, 120_000);

test("copy from PostgreSQL into a file and from there into another PostgreSQL, each of them twice", async () => {
  await imported();
  const before = await exported(owner);
  const another = await server.createDatabase();
  const digests = new Set<string>();
  for (const [from, to] of [
    [owner, "copied.db"],
    ["copied.db", another],
  ] as const) {
    for (const isAgain of [false, true]) {
      const run = to === another && !isAgain ? madeTables : done;
      const copied = JSON.parse(await run("copy", "--from", from, "--to", to, "--json"));
      expect(copied.companies).toMatchObject([{ id: "acme", isChanged: !isAgain }]);
      digests.add(copied.companies[0].digest);
    }
    expect(await exported(to)).toBe(before);
  }
  expect(digests.size).toBe(1);
  expect(await done("copy", "--from", another, "--to", owner)).toContain("the same digest on both sides");
  expect(await done("keys", "list", "--db", another)).toBe(await done("keys", "list"));
}, 120_000);

test("a copy that cannot be made says why, and what to do", async () => {
  await imported();
  const unmade = await server.createDatabase();
  const gone = new URL(owner);
  gone.pathname = "/not_there";
  const nobody = new URL(owner);
  nobody.port = "9";
  await rollcallHere(folder, ["companies", "create", "acme", "--name", "Another", "--db", "another.db"]);
  const cases: readonly (readonly [from: string, to: string, message: RegExp])[] = [
    [unmade, "target.db", /There is no store at PostgreSQL at .*: make one with rollcall migrate/],
    ["nowhere.db", owner, /There is no store at nowhere.db/],
    [gone.href, "target.db", /does not exist: create the database, or name another/],
    [
      nobody.href,
      "target.db",
      /cannot be reached \(ECONNREFUSED\): check the address, and that the server runs/,
    ],
    [
      `${owner}?sslmode=verify-full`,
      "target.db",
      /cannot be reached \(The server does not support SSL connections\)/,
    ],
    [
      owner.replace("127.0.0.1", "nowhere.invalid"),
      "target.db",
      /cannot be reached \((ENOTFOUND|EAI_AGAIN|timeout .*)\)/,
    ],
    [owner, "another.db", /The target has another company "acme" \(Another\): delete it there first/],
    ["another.db", owner, /The target has another company "acme" \(Acme Ltd\): delete it there first/],
    ["copied.db", reader, /This role may not do that/],
  ];
  await done("copy", "--from", owner, "--to", "copied.db");
  await done("import", "files/workers.csv", "--company", "acme");
  await rollcallHere(folder, ["companies", "create", "more", "--db", "copied.db"]);
  for (const [from, to, message] of cases) {
    expect(await refused("copy", "--from", from, "--to", to)).toMatch(message);
  }
}, 120_000);

test("a password that is not percent-encoded is hinted at, and not shown", async () => {
  for (const password of ["pa#ss", "12#ss", "pa/ss", "12/ss", "pa?ss", "12?ss"]) {
    const db = owner.replace(":password@", `:${password}@`);
    const { exitCode, stderr } = await rollcallHere(folder, ["companies", "list", "--db", db]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("of the password percent-encoded (%23 %2F %3F");
    expect(stderr).not.toMatch(/pa\W|ss@|12/);
  }
}, 120_000);

test("a password among the arguments is warned of, in one line that does not show it", async () => {
  for (const args of [
    ["companies", "list", "--db", owner],
    ["serve", "--port", "1", "--db", owner.replace(":password", ""), "--replica", owner],
    ["migrate", "--db", owner.replace(":password", ""), "--reader-password", "password"],
  ]) {
    const { stderr } = await rollcallHere(folder, args, { PGPASSWORD: "wrong" });
    const option = args.at(-2)!;
    expect(stderr.split("\n")[0]).toStartWith(
      `rollcall: warning: ${option} contains a password, which other users`,
    );
    expect(stderr.match(/warning/g)).toHaveLength(1);
    expect(stderr).not.toContain(":password@");
  }
}, 120_000);

test("a password that the server wants and nobody gives is asked for; it may come by PGPASSWORD or a password file", async () => {
  const bare = owner.replace(":password@", "@");
  const list = ["companies", "list", "--db", bare];
  for (const db of [bare, owner.replace(":password@", ":@")]) {
    expect(await refused("companies", "list", "--db", db)).toMatch(
      /^rollcall: PostgreSQL at \S+ requires a password, and none is given: write it in the address, or give it by PGPASSWORD or/,
    );
  }
  const passwordFile = join(folder, "pgpass");
  writeFileSync(passwordFile, "127.0.0.1:*:*:postgres:password\n", { mode: 0o600 });
  for (const env of [{ PGPASSWORD: "password" }, { PGPASSFILE: passwordFile }]) {
    expect(await rollcallHere(folder, list, env)).toMatchObject({ exitCode: 0 });
  }
  const wrong = await rollcallHere(folder, list, { PGPASSWORD: "wrong" });
  expect(wrong.stderr).toContain(
    "does not let this role in: check the name and the password in --db, or PGPASSWORD",
  );
}, 120_000);

test("a role for servers that has no password yet: what to do is said", async () => {
  const role = `reader_${crypto.randomUUID().slice(0, 8)}`;
  const again = ["migrate", "--reader-role", role];
  expect(await done(...again)).toContain("without a password: set one with ROLLCALL_READER_PASSWORD");
  expect(await done(...again, "--reader-password", "x")).toContain("let servers connect with it");
}, 120_000);

test("a company that is deleted: what stays of it is said", async () => {
  await imported();
  expect(await done("companies", "delete", "acme", "--yes")).toContain(
    "Deleted company acme: no reader finds it any more, and its tables were vacuumed.",
  );
  expect(await done("vacuum")).toStartWith("Vacuumed every table.");
  expect(await done("companies", "list")).toContain("There are no companies yet");
}, 120_000);

test("imports are listed", async () => {
  await imported();
  expect(await done("imports", "list", "--company", "acme")).not.toBe("");
}, 120_000);

test("a calendar feed is created, listed, rotated and revoked", async () => {
  await imported();
  const made = await done("feeds", "create", "--company", "acme", "--url", "http://127.0.0.1:1", "--quiet");
  expect(made.trim()).toMatch(/^http:\/\/127\.0\.0\.1:1\/calendar\/rc_[0-9A-Za-z]{38}\.ics$/);
  const listed = async () =>
    JSON.parse(await done("feeds", "list", "--json")) as { id: string; status: string }[];
  const [first] = await listed();
  await done("feeds", "rotate", first!.id, "--url", "http://127.0.0.1:1");
  const active = (await listed()).find(({ status }) => status === "active");
  expect(await done("feeds", "revoke", active!.id)).toContain(`Revoked feed ${active!.id}`);
  expect((await listed()).map(({ status }) => status)).toEqual(["revoked", "revoked"]);
}, 120_000);

/** `sync` imports as `import` does: test/pull has both. */
const OF_PULL = ["pull", "sync"];

test("no command was forgotten", async () => {
  const { stdout } = await rollcallHere(folder, ["--help"]);
  const listed = [
    ...stdout
      .slice(stdout.indexOf("Try and serve:"), stdout.indexOf("Examples:"))
      .matchAll(/^ {2}([a-z]+)(?= )/gm),
  ].map((match) => match[1]!);
  const commands = listed.filter(
    (name) => name !== "rollcall" && !WITHOUT_DB.includes(name) && !OF_PULL.includes(name),
  );
  expect([...called].toSorted()).toEqual([...new Set(commands)].toSorted());
});

test("an import that fails says so, also where a pooler holds every statement because its database is away", async () => {
  await done("companies", "create", "pooled");
  writeFileSync(join(folder, "workers.csv"), "legacyId,firstName\nE1,Ana\n");
  const pooler = holdingPooler(Number(new URL(owner).port));
  const address = new URL(owner);
  address.port = String(pooler.port);
  const args = ["import", "workers.csv", "--company", "pooled"];
  const child = start(folder, args, { ROLLCALL_DB: address.href });
  expect(await child.exited).toBe(1);
  expect(await new Response(child.stderr).text()).toContain("nothing was imported");
  expect(pooler.held).toBeGreaterThan(0);
  pooler.close();
});

/** Forwards to a server until the first connection ends. Those that come later are let in, and nothing that they ask is forwarded. */
function holdingPooler(port: number) {
  const READY = Buffer.from("5a0000000549", "hex"); // https://www.postgresql.org/docs/current/protocol-message-formats.html
  let isHolding = false;
  let held = 0;
  const sockets = new Set<Socket>();
  const pooler = createServer((inner) => {
    const outer = connect(port, "127.0.0.1");
    let isReady = false;
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("close", () => {
        isHolding = true;
        to.destroy();
      });
    }
    outer.on("data", (data: Buffer) => {
      isReady ||= isHolding && data.subarray(-READY.length).equals(READY);
      inner.write(data);
    });
    inner.on("data", (data) => {
      if (isReady) held++;
      else outer.write(data);
    });
  });
  pooler.listen(0, "127.0.0.1");
  return {
    port: (pooler.address() as AddressInfo).port, // of a TCP server
    get held() {
      return held;
    },
    close() {
      pooler.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
