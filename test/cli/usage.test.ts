// Wrong usage and work that cannot be done: one clear message that says what to do, and the right exit code.
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { rollcallCommand } from "../../src/cli/commands.ts";
import { ROLLCALL } from "../support/rollcall-path.ts";
import { inFolder, inFolderWithCompany, rollcall, rollcallHere, whileServing } from "./command.ts";

/** A server is a process of its own, also where it does not get to serving. */
const run: typeof rollcall = (folder, args, env) =>
  args[0] === "serve" ? rollcall(folder, args, env) : rollcallHere(folder, args, env);

const WRONG_USAGE: readonly (readonly [string, RegExp])[] = [
  ["", /Usage: rollcall/],
  ["frobnicate", /^rollcall: unknown command 'frobnicate'/],
  ["import x.csv --compnay acme", /^rollcall: unknown option --compnay \(did you mean --company\?\)\n/],
  ["keys create --compnay=acme", /^rollcall: unknown option --compnay \(did you mean --company\?\)\n/],
  [
    "companies show --company acme",
    /^rollcall: unknown option --company: write rollcall companies show \[options\] <id>\n/,
  ],
  ["companies create other --db --json", /^rollcall: option --db has no value before --json\n/],
  ["import x.csv", /^rollcall: required option '--company <id>' not specified\n/],
  ["keys create", /--company/],
  ["companies create BAD", /"BAD" is not a company id: use 1 to 64 of a-z 0-9 -/],
  ["companies delete No/Such --yes", /"No\/Such" is not a company id: use 1 to 64 of a-z 0-9 -/],
  [
    "import x.csv --company No/Such",
    /--company: "No\/Such" is not a company id: use 1 to 64 of a-z 0-9 -\n$/,
  ],
  ["export --out x --company a\u001b[31m", /--company: "a\\u001b\[31m" is not a company id/],
  ["keys create --company ACME", /--company: "ACME" is not a company id/],
  ["keys list --company ACME", /--company: "ACME" is not a company id/],
  [
    "keys create --company acme --expires soon",
    /--expires: "soon" is not a duration: write for example 24h or 90d/,
  ],
  ["keys create --company acme --expires 2001-01-01", /is over/],
  ["keys create --company acme --name a\u001b[31mb", /--name: .* has control characters/],
  ["companies create other --name a\nb", /--name: "a\\nb" has control characters: write a name on one line/],
  ["keys create --company acme --expires 999999999d", /--expires: "999999999d" is more than 36500d/],
  ["keys create --company acme --expires 99999999999999999999d", /is more than 36500d/],
  ["keys rotate key_4f8a2c6e0b1d --overlap 36501d", /--overlap: "36501d" is more than 36500d/],
  [
    "keys create --company acme --scope workers",
    /--scope: "workers" is not one of workers:read, time_off:read/,
  ],
  ["keys revoke rk_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", /name the key by its id \(key_/],
  ["companies delete acme", /add --yes/],
  ["backup", /name the file to write with --out/],
  ["backup --out a --into b", /name the file to write with --out/],
  ["backup --out a --continuous", /--continuous adds to a folder: name it with --into/],
  ["restore a.backup --at 2026-03-01T06:00:00Z", /--at is for a folder of backups, and a.backup is not a/],
  ["pull bamboohr", /--into is missing: name the folder to write/],
  ["serve --port banana", /--port: "banana" is not a whole number from 0 to 65535/],
  ["serve --today 03/04/2026", /--today: "03\/04\/2026" is not a day: write YYYY-MM-DD/],
  ["serve --cors intranet.example.com", /--cors: .* is not an origin/],
  ["serve --tls-cert cert.pem", /--tls-cert and --tls-key belong together/],
  ["serve --trust-proxy somewhere", /--trust-proxy/],
  ["serve --log loudly", /--log: "loudly" is not one of requests, problems, none/],
];

test.each(WRONG_USAGE)("rollcall %s is wrong usage", async (line, message) => {
  await inFolderWithCompany(async (folder) => {
    const { exitCode, stdout, stderr } = await run(folder, line.split(" ").filter(Boolean));
    expect(stderr).toMatch(message);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  });
});

const MISTYPED = [
  "companies list --db //user:s3cret@host/db",
  "companies create acme --db //user:s3/cret@host/db",
  "doctor --json --db //user@host/db",
  "serve --db postgres://user@host/db --replica //user:s3cret@host/db",
  "companies list --db postgres:/user:s3cret@host/db",
  "companies list --db mysql://user:s3cret@host/db",
  "companies list --db user:s3cret@host/db",
  "serve --db postgres//user:s3cret@host/db",
  "serve --db postgres://user@host/db --replica postgres://user@host/db --replica htp://user:s3cret@host/db",
  "copy --from mysql://user:s3cret@host/db --to x.db",
  "copy --from rollcall.db --to postgres:/user:s3cret@host/db",
];

test.each(MISTYPED)("rollcall %s is not taken for a file, nor shown", async (line) => {
  await inFolder(async (folder) => {
    const { exitCode, stdout, stderr } = await run(folder, line.split(" "));
    expect(stderr).toMatch(
      line.includes(" //")
        ? /--(db|replica) is not an address of PostgreSQL: its scheme is missing: write postgres: before/
        : /--(db|replica|from|to) is not an address of PostgreSQL: write postgres:/,
    );
    expect(stdout + stderr).not.toMatch(/s3|cret|user/);
    expect(exitCode).toBe(2);
  });
});

test("an address by the environment is looked at as well, and its scheme counts in any case", async () => {
  await inFolder(async (folder) => {
    const mistyped = await run(folder, ["companies", "list"], {
      ROLLCALL_DB: "pg:/user:s3cret@host/db",
    });
    expect(mistyped).toMatchObject({ exitCode: 2, stdout: "" });
    expect(mistyped.stderr).not.toContain("s3cret");
    const capital = await run(folder, ["companies", "list", "--db", "Postgres://user:s3cret@127.0.0.1:9/db"]);
    expect(capital.stderr).toContain("PostgreSQL at 127.0.0.1:9/db cannot be reached (ECONNREFUSED)");
    expect(capital.stderr).not.toContain("s3cret");
    mkdirSync(join(folder, "a@b"));
    for (const path of ["./a:b@c.db", `/${folder}/a@b/x.db`]) {
      const file = await run(folder, ["companies", "create", "acme", "--db", path]);
      expect(file).toMatchObject({ exitCode: 0, stderr: "" });
    }
  });
});

const CANNOT: readonly (readonly [string, RegExp])[] = [
  ["serve --db nowhere.db", /There is no store at nowhere.db: make one with rollcall companies create/],
  ["import x.csv --company acme --db nowhere.db", /There is no file or folder at x.csv/],
  ["serve --db text.db", /text.db is not a Rollcall store/],
  ["companies create two --db text.db", /text.db is not a Rollcall store/],
  ["companies create acme", /There is a company "acme" already/],
  ["companies delete other --yes", /There is no company "other"/],
  ["keys create --company other", /There is no company "other".*rollcall companies create other/],
  ["keys revoke key_none", /There is no key "key_none": see rollcall keys list/],
  [
    "companies create acme --db missing/folder/rollcall.db",
    /missing\/folder\/rollcall.db cannot be opened: check that the folder exists/,
  ],
  ["serve --tls-cert none.pem --tls-key none.pem", /none.pem cannot be read/],
  ["serve --host 203.0.113.7", /203.0.113.7 is not an address of this machine/],
];

test.each(CANNOT)("rollcall %s cannot be done", async (line, message) => {
  await inFolderWithCompany(async (folder) => {
    writeFileSync(
      join(folder, "text.db"),
      "just some text, longer than the header of a database\n".repeat(40),
    );
    const { exitCode, stderr } = await run(folder, line.split(" "));
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain("fault of Rollcall");
    expect(exitCode).toBe(1);
  });
});

test("a port that is in use is named, with what to do", async () => {
  await inFolderWithCompany(async (folder) => {
    await whileServing(folder, ["serve", "--port", "0", "--log", "none"], async (address) => {
      const port = new URL(address).port;
      for (const more of [[], ["--processes", "2"]]) {
        const second = await run(folder, ["serve", "--port", port, ...more]);
        expect(second.stderr).toContain(`Port ${port} is in use on 127.0.0.1`);
        expect(second.exitCode).toBe(1);
      }
    });
  });
});

test("a company's id that could be none is told as that when the environment gives it, too", async () => {
  await inFolder(async (folder) => {
    const { exitCode, stderr } = await run(folder, ["keys", "list"], { ROLLCALL_COMPANY: "No/Such" });
    expect(stderr).toContain('ROLLCALL_COMPANY: "No/Such" is not a company id');
    expect(exitCode).toBe(2);
  });
});

test("listening on another address than loopback without TLS is warned of loudly", async () => {
  await inFolderWithCompany(async (folder) => {
    const child = await run(folder, ["serve", "--host", "203.0.113.7"]);
    expect(child.stderr).toMatch(/WARNING: listening on 203.0.113.7 without TLS/);
  });
});

test("a store of a newer version is left alone", async () => {
  await inFolderWithCompany(async (folder) => {
    await run(folder, ["keys", "create", "--company", "acme"]);
    expect((await run(folder, ["backup", "--out", "before.backup"])).exitCode).toBe(0);
    const { Database } = await import("bun:sqlite");
    const database = new Database(join(folder, "rollcall.db"));
    database.run("pragma user_version = 99999999");
    database.close();
    for (const line of [
      "serve",
      "companies list",
      "migrate",
      "companies create two",
      "restore before.backup --yes",
    ]) {
      const { exitCode, stderr } = await run(folder, line.split(" "));
      expect(stderr).toMatch(
        /was written by a newer Rollcall .* upgrade Rollcall, or restore a backup from before/,
      );
      expect(exitCode).toBe(1);
    }
    // As docs/running.md says it: moved away, the backup brings everything back.
    for (const suffix of ["", "-keys", "-wal", "-shm", "-keys-wal", "-keys-shm"])
      rmSync(join(folder, `rollcall.db${suffix}`), { force: true });
    expect((await run(folder, ["migrate"])).exitCode).toBe(0);
    expect((await run(folder, ["restore", "before.backup", "--yes"])).exitCode).toBe(0);
    expect((await run(folder, ["companies", "list"])).stdout).toContain("acme");
    expect(JSON.parse((await run(folder, ["keys", "list", "--json"])).stdout)).toHaveLength(1);
  });
});

test("the store and the keys are their owner's alone, even in an open folder", async () => {
  await inFolder(async (folder) => {
    const open = join(folder, "open");
    mkdirSync(open);
    chmodSync(open, 0o777);
    await run(open, ["companies", "create", "acme"]);
    await run(open, ["keys", "create", "--company", "acme"]);
    for (const name of ["rollcall.db", "rollcall.db-keys"]) {
      expect(statSync(join(open, name)).mode & 0o077).toBe(0);
    }
  });
});

test("--help of every command has an example", async () => {
  const lines = (command: Command): string[] => {
    const within = command.commands.flatMap((child) =>
      lines(child).map((line) => `${child.name()} ${line}`.trim()),
    );
    return ["", ...within];
  };
  await inFolder(async (folder) => {
    for (const line of lines(await rollcallCommand())) {
      const { exitCode, stdout } = await run(folder, [...line.split(" ").filter(Boolean), "--help"]);
      expect({ line, exitCode }).toEqual({ line, exitCode: 0 });
      expect(stdout).toMatch(/Examples?(?:, for .*)?:\n(?: {2}.*\n)*? {2}.*rollcall/);
      if (line.endsWith("delete")) expect(stdout).toMatch(/^ {2}rollcall .* --yes$/m); // else it is refused
    }
  });
});

test("every command that works and ends can print JSON", async () => {
  const without = (command: Command): string[] =>
    command.commands.length > 0
      ? command.commands.flatMap(without)
      : command.options.some(({ long }) => long === "--json")
        ? []
        : [command.name()];
  // These serve, follow or print a document of their own.
  const others = [
    "demo",
    "serve",
    "follow",
    "mcp",
    "healthcheck",
    "openapi",
    "completions",
    "init",
    "schema",
    "schema", // of mappings, and of pull files
  ];
  expect(without(await rollcallCommand()).toSorted()).toEqual(others.toSorted());
  await inFolderWithCompany(async (folder) => {
    const { stdout } = await run(folder, ["migrate", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ migrated: true, schema: "none", role: null });
    const texts = [];
    for (const _ of ["first", "second"])
      texts.push((await run(folder, ["migrate", "--db", "new.db"])).stdout);
    expect(texts).toEqual([
      "Made an empty store with this version's schema.\n",
      "The store has this version's schema already.\n",
    ]);
  });
});

test("a command is loaded alone, and is the same as among all", async () => {
  const { commands } = await rollcallCommand();
  for (const command of commands) {
    const alone = (await rollcallCommand([command.name()])).commands;
    if (command.name() === "doctor") expect(alone).toHaveLength(commands.length);
    else expect(alone.map((one) => one.helpInformation())).toEqual([command.helpInformation()]);
  }
});

test("doctor knows the variables of every command", async () => {
  await inFolder(async (folder) => {
    const { stdout } = await run(folder, ["doctor"], {
      ROLLCALL_KEEP_REMOVALS: "1d",
      ROLLCALL_KEEP_REMOVAL: "1d",
      ROLLCALL_KEY: "rk_of_follow_and_mcp",
    });
    expect(stdout.match(/.* is set, and no command reads it/g)).toEqual([
      "settings: ROLLCALL_KEEP_REMOVAL is set, and no command reads it",
    ]);
  });
});

test("what runs unattended warns of a variable that no command reads", async () => {
  await inFolderWithCompany(async (folder) => {
    const known = { ROLLCALL_KEEP_REMOVALS: "1d", ROLLCALL_KEY: "rk_of_follow_and_mcp" };
    const env = { ...known, ROLLCALL_PROT: "4011", ROLLCALL_KEEP_REMOVAL: "1d" };
    for (const args of [
      ["import", "none", "--company", "acme"],
      ["serve", "--port", "many"],
    ]) {
      const { stderr } = await run(folder, args, env);
      expect(stderr.match(/.* no command reads it.*/g)).toEqual([
        "rollcall: warning: ROLLCALL_KEEP_REMOVAL is set, and no command reads it: unset it (did you mean ROLLCALL_KEEP_REMOVALS?)",
        "rollcall: warning: ROLLCALL_PROT is set, and no command reads it: unset it (did you mean ROLLCALL_PORT?)",
      ]);
    }
  });
});

test("a bad value is told of the variable that it came from", async () => {
  await inFolder(async (folder) => {
    const told = async (args: string[], env: Record<string, string>) =>
      (await run(folder, args, env)).stderr.trim();
    // as Kubernetes sets it for a Service called rollcall
    expect(await told(["serve"], { ROLLCALL_PORT: "tcp://10.0.0.11:80" })).toBe(
      'rollcall: ROLLCALL_PORT: "tcp://10.0.0.11:80" is not a whole number from 0 to 65535',
    );
    expect(await told(["serve", "--port", "many"], { ROLLCALL_PORT: "4010" })).toBe(
      'rollcall: --port: "many" is not a whole number from 0 to 65535',
    );
  });
});

test("every option has an environment variable of its name", async () => {
  const unnamed = (command: Command): string[] => [
    ...command.options
      .filter(
        ({ long, envVar }) => envVar !== `ROLLCALL_${long?.slice(2).toUpperCase().replaceAll("-", "_")}`,
      )
      .map(({ flags }) => `${command.name()} ${flags}`),
    ...command.commands.flatMap(unnamed),
  ];
  const { commands } = await rollcallCommand();
  expect(commands.flatMap(unnamed)).toEqual([
    "demo --db <file>", // a store of its own, never the one with real data
    "create --url <address>", // of a hook: ROLLCALL_URL is the address of a server, for other commands
  ]);
  await inFolderWithCompany(async (folder) => {
    const env = { ROLLCALL_SCOPE: "workers:read", ROLLCALL_EXPIRES: "90d", ROLLCALL_ACCESS: "no-reasons" };
    const { stdout } = await run(folder, ["keys", "create", "--company", "acme", "--json"], env);
    expect(JSON.parse(stdout)).toMatchObject({ scopes: ["workers:read"], access: { level: "no-reasons" } });
  });
});

test("an option can be given by the environment; the option wins", async () => {
  await inFolder(async (folder) => {
    await run(folder, ["companies", "create", "acme"], { ROLLCALL_DB: "by-environment.db" });
    const listed = await run(folder, ["companies", "list", "--json"], {
      ROLLCALL_DB: "by-environment.db",
    });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: "acme" }]);
    const other = await run(folder, ["companies", "list", "--db", "other.db"], {
      ROLLCALL_DB: "by-environment.db",
    });
    expect(other.stderr).toContain("There is no store at other.db");
  });
});

test("what reads the output may stop early: nothing is said of it", async () => {
  await inFolder(async (folder) => {
    const child = Bun.spawn(["sh", "-c", `{ "${ROLLCALL}" import --help; echo "code $?" >&2; } | :`], {
      cwd: folder,
      stderr: "pipe",
    });
    expect(await new Response(child.stderr).text()).toBe("code 0\n");
  });
});
