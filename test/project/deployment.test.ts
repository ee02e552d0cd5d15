// The files that others run Rollcall by: each variable, option and metric in them exists, and the commands of compose.yaml run.
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { IMAGE_ENVIRONMENT } from "../../delivery/image/image.ts";
import manifest from "../../package.json";
import { rollcallCommand } from "../../src/cli/commands.ts";
import { SECRET_VARIABLES } from "../../src/cli/options.ts";
import { countMetrics } from "../../src/cli/serving/metrics.ts";
import { inFolder, rollcall, start, whileServing } from "../cli/command.ts";
import { newServer } from "../support/postgres.ts";
import { PASSWORD } from "../support/postgres-data.ts";

const DELIVERY = join(import.meta.dir, "../../delivery");
const read = (name: string) => Bun.file(join(DELIVERY, name)).text();

interface Service {
  readonly image: string;
  readonly command: string;
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** The services of a file of Compose, with its variables from `environment`. */
async function services(
  environment: Record<string, string>,
  file = "compose.yaml",
): Promise<Readonly<Record<string, Service>>> {
  const text = (await read(`compose/${file}`)).replace(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name, otherwise) => environment[name] ?? otherwise,
  );
  const parsed = Bun.YAML.parse(text) as { services: Readonly<Record<string, Service>> }; // by Compose's schema
  return parsed.services;
}

/** The variables of a file such as company.env. */
async function variables(name: string): Promise<Record<string, string>> {
  return Object.fromEntries(
    (await read(name))
      .split("\n")
      .filter((line) => /^\w+=/.test(line))
      .map((line) => line.split("=", 2)),
  );
}

test("docker compose up alone serves the demo", async () => {
  const started = Object.values(await services({})).filter(({ profiles }) => profiles === undefined);
  expect(started.map(({ command }) => command)).toEqual(["demo"]);
  expect(started[0]!.image).toBe(`rollcall:${manifest.version}`);
  await inFolder(async (folder) => {
    await whileServing(
      folder,
      [...started[0]!.command.split(" "), "--port", "0", "--workers", "5"],
      async (address) => {
        expect((await fetch(`${address}/healthz`)).status).toBe(200);
      },
    );
  });
});

test("company.env serves a company, and backs it up", async () => {
  const { server, backup, sync } = await services(await variables("compose/company.env"));
  await inFolder(async (folder) => {
    mkdirSync(join(folder, "backups"));
    expect((await rollcall(folder, ["companies", "create", "acme"])).exitCode).toBe(0);
    await whileServing(folder, [...server!.command.split(" "), "--port", "0"], async (address) => {
      expect((await fetch(`${address}/readyz`)).status).toBe(200);
    });
    const continuous = start(folder, backup!.command.replace("/backups", "./backups").split(" "));
    for await (const chunk of continuous.stdout) if (chunk.length > 0) break;
    continuous.kill("SIGTERM");
    expect(await continuous.exited).toBe(0);
    const verified = await rollcall(folder, ["backup", "--verify", "./backups"]);
    expect(verified.exitCode).toBe(0);
    await expectKnownOptions(sync!.command.split(" "));
  });
});

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

/** That the command and each of its options exist. */
async function expectKnownOptions(args: readonly string[]): Promise<void> {
  let command = await rollcallCommand();
  for (const name of args) command = command.commands.find((one) => one.name() === name) ?? command;
  expect(command.name()).toBe(args[0]!);
  const options = args.filter((arg) => arg.startsWith("--"));
  expect(command.options.map(({ long }) => long)).toEqual(expect.arrayContaining(options));
}

test("no variable of the image stands beside a file of secrets", () => {
  const set = Object.keys(IMAGE_ENVIRONMENT);
  expect(set.filter((name) => SECRET_VARIABLES.some((secret) => secret === name))).toEqual([]);
});

test("the manifests of Kubernetes name commands, options and variables that exist", async () => {
  const known = new Set(
    (await rollcallCommand()).commands.flatMap(({ options }) =>
      options.flatMap(({ envVar }) => envVar ?? []),
    ),
  );
  for (const name of ["sqlite", "postgres"]) {
    const text = await read(`kubernetes/${name}.yaml`);
    const documents = Bun.YAML.parse(text) as readonly { readonly kind: string }[]; // several documents
    expect(documents.map(({ kind }) => kind)).toContain("Service");
    for (const [, args] of text.matchAll(/args: \[([^\]]+)\]/g)) await expectKnownOptions(args!.split(", "));
    for (const [variable] of text.matchAll(/ROLLCALL_\w+/g))
      expect([...known]).toContain(variable.replace(/_FILE$/, ""));
    for (const [, version] of text.matchAll(/image: rollcall:(\S+)/g)) expect(version).toBe(manifest.version);
  }
});

// Kubernetes, Services, "Environment variables": beside a Service called rollcall, a pod gets ROLLCALL_PORT=tcp://10.0.0.11:80, which
// would be --port.
test("the manifests of Kubernetes take no variables from their Service", async () => {
  for (const name of ["sqlite", "postgres"]) {
    const pods = (await read(`kubernetes/${name}.yaml`)).match(/automountServiceAccountToken: false\n.*/g);
    expect(pods!.length).toBeGreaterThan(0);
    for (const pod of pods!) expect(pod).toEndWith("enableServiceLinks: false");
  }
});

test("the dashboard and the alerts name metrics that the server has", async () => {
  const metrics = countMetrics({});
  metrics.reportImports(
    async () => [],
    () => new Map(),
  );
  metrics.reportHooks(async () => []);
  metrics.reportBackups("none");
  const names = new Set((await metrics.counts()).map(({ name }) => name));
  for (const file of ["grafana/rollcall.json", "prometheus/rules.yaml"]) {
    const named = [...(await read(file)).matchAll(/\b(?:rollcall|process)_[a-z_]+\b/g)].map(([name]) =>
      name.replace(/_(?:bucket|sum|count)$/, ""),
    );
    expect(named.length).toBeGreaterThan(5);
    expect([...new Set(named)].filter((name) => !names.has(name))).toEqual([]);
  }
});

test("each alert has a line in docs/running.md", async () => {
  const page = await Bun.file(join(DELIVERY, "../docs/running.md")).text();
  for (const [, alert] of (await read("prometheus/rules.yaml")).matchAll(/- alert: (\w+)/g))
    expect(page).toContain(`| \`${alert}\` |`);
});
