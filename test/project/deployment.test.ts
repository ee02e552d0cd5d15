// The files that others run Rollcall by: each variable, option and metric in them exists, and the commands of compose.yaml run.
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { IMAGE_ENVIRONMENT } from "../../delivery/image/image.ts";
import manifest from "../../package.json";
import { rollcallCommand } from "../../src/cli/commands.ts";
import { SECRET_VARIABLES } from "../../src/cli/options.ts";
import { countMetrics } from "../../src/cli/serving/metrics.ts";
import { inFolder, rollcall, start, whileServing } from "../cli/command.ts";
import { DELIVERY, read, services, variables } from "./compose.ts";

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
