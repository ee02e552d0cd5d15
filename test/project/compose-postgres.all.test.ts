// The containers of compose.yaml with postgres.yaml, on a real PostgreSQL.
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFolder, rollcall, whileServing } from "../cli/command.ts";
import { newServer } from "../support/postgres.ts";
import { PASSWORD } from "../support/postgres-data.ts";
import { services, variables } from "./compose.ts";

/** What runs in a container: a service of compose.yaml with what postgres.yaml changes of it, and files of its own. */
async function postgresService(name: string, secrets: string) {
  const own = (await services({}, "postgres.yaml"))[name]!;
  const base = (await services(await variables("compose/company.env")))[name];
  const environment = Object.entries(own.environment ?? {}).map(([variable, value]) => [
    variable,
    value.replace("/run/secrets", secrets),
  ]);
  return {
    command: (own.command ?? base!.command).replace("/backups", "./backups").split(" "),
    environment: Object.fromEntries(environment) as Record<string, string>,
  };
}

test("postgres.yaml serves a company from PostgreSQL, and backs it up", async () => {
  const database = await newServer(); // roles belong to a server
  const address = await database.createDatabase();
  await inFolder(async (folder) => {
    const secrets = join(folder, "secrets");
    for (const name of [secrets, join(folder, "backups")]) mkdirSync(name);
    const reader = new URL(address);
    [reader.username, reader.password] = ["rollcall_reader", PASSWORD];
    for (const [name, text] of [
      ["owner_address", address],
      ["reader_address", reader.href],
      ["reader_password", PASSWORD],
    ] as const)
      writeFileSync(join(secrets, name), `${text}\n`);
    const { command, environment } = await postgresService("migrate", secrets);
    expect((await rollcall(folder, command, environment)).stderr).toBe("");
    expect((await rollcall(folder, ["companies", "create", "acme"], environment)).exitCode).toBe(0);
    const server = await postgresService("server", secrets);
    await whileServing(
      folder,
      [...server.command, "--port", "0"],
      async (url) => {
        expect((await fetch(`${url}/readyz`)).status).toBe(200);
      },
      { env: server.environment },
    );
    const backup = await postgresService("backup", secrets);
    expect((await rollcall(folder, backup.command, backup.environment)).stderr).toBe("");
    expect((await rollcall(folder, ["backup", "--verify", "./backups/rollcall.backup"])).exitCode).toBe(0);
  });
  await database.stop();
});
