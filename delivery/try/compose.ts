// Tries compose.yaml in a real engine, as docs/forms.md describes: the demo, a company with synced data, a backup, a restore drill,
// metrics, and a restart.
import { spawnSync } from "node:child_process";
import { chownSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KEY, System } from "../../test/pull/system.ts";
import { ROOT } from "../bundle.ts";
import { buildImage } from "../image/image.ts";
import { ownTarget, run } from "../runtimes.ts";
import { has, NotTried } from "./forms.ts";

/** The user of the image. */
const USER = 10001;

const HOST_PORT = 4910;

const ADDRESS = `http://127.0.0.1:${HOST_PORT}`;

/** The command of Compose: Docker's plugin, or a program of its own. Throws NotTried if Docker or Compose is missing. */
function composeCommand(): readonly string[] {
  if (!has("docker") || spawnSync("docker", ["info"]).status !== 0)
    throw new NotTried("no engine of Docker runs, so compose.yaml was rendered only");
  for (const command of [["docker", "compose"], ["docker-compose"]])
    if (spawnSync(command[0]!, [...command.slice(1), "version"]).status === 0) return command;
  throw new NotTried("Docker has no Compose, so compose.yaml was rendered only");
}

/** Reports each step and its duration. Throws an Error if one fails. */
export async function tryCompose(folder: string, says: (what: string) => void): Promise<void> {
  const command = composeCommand();
  const archive = await buildImage(ownTarget());
  run("docker", ["load", "--input", archive]);
  cpSync(join(ROOT, "delivery/compose"), folder, { recursive: true });
  const compose = (...args: string[]) => {
    const [program, ...first] = command;
    const done = spawnSync(program!, [...first, "-p", "rollcall-tried", ...args], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, ...KEY, ROLLCALL_PORT: String(HOST_PORT) },
    });
    if (done.status !== 0)
      throw new Error(`compose ${args.join(" ")} ended with ${done.status}:\n${done.stderr}`);
    return done.stdout;
  };
  let beganAtMs = performance.now();
  const step = (what: string) => {
    says(`${what} (${((performance.now() - beganAtMs) / 1000).toFixed(1)} s)`);
    beganAtMs = performance.now();
  };
  const system = await System.start();
  try {
    compose("up", "-d");
    await responds("/healthz");
    if (!(await (await fetch(ADDRESS)).text()).includes("Rollcall"))
      throw new Error("the demo shows no page");
    step("up alone serves the demo");
    compose("down", "-v");

    cpSync(join(folder, "company.env"), join(folder, ".env"));
    for (const name of ["backups", "pull", "drill"]) mkdirSync(join(folder, name), { recursive: true });
    for (const name of ["backups", "drill"]) chownSync(join(folder, name), USER, USER);
    system.write(join(folder, "pull"));
    // The made-up HR system is on loopback, where plain HTTP is allowed.
    const sync = { network_mode: "host", volumes: ["data:/data", "./pull:/pull:ro"], environment: KEY };
    const pull = {
      services: { sync: { ...sync, command: "sync /pull/hr.pull.json --company acme --every 24h" } },
    };
    writeFileSync(join(folder, "compose.override.yaml"), JSON.stringify(pull));
    beganAtMs = performance.now();
    compose("run", "--rm", "server", "companies", "create", "acme");
    const created = compose(
      "run",
      "--rm",
      "server",
      "keys",
      "create",
      "--company",
      "acme",
      "--name",
      "tried",
      "--json",
    );
    step("a company and a key");
    const { key } = JSON.parse(created) as { key: string };

    compose("up", "-d");
    await until("the first sync", async () => (await workers(key)) === system.people.length);
    step("up serves what was fetched from the HR system");

    await until("the first backup", async () => {
      compose("run", "--rm", "backup", "backup", "--verify", "/backups");
      return true;
    });
    const drill = ["run", "--rm", "-v", `${folder}/drill:/drill`, "backup"];
    compose(...drill, "restore", "/backups", "--db", "/drill/drill.db");
    compose(...drill, "doctor", "--db", "/drill/drill.db");
    step("the backup is verified and restored beside the store");

    const address = spawnSync(
      "docker",
      [
        "inspect",
        "-f",
        "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}",
        "rollcall-tried-server-1",
      ],
      { encoding: "utf8" },
    ).stdout.trim();
    const metrics = await (await fetch(`http://${address}:4011/metrics`)).text();
    if (!/^rollcall_last_backup_timestamp_seconds [1-9]/m.test(metrics))
      throw new Error("the metrics do not say when the last backup was made");
    if (!metrics.includes("rollcall_last_import_timestamp_seconds"))
      throw new Error("the metrics say nothing of imports");
    step("the metrics tell the age of the data");

    compose("restart");
    await responds("/readyz");
    if ((await workers(key)) !== system.people.length) throw new Error("a restart lost the data");
    step("a restart loses nothing");

    compose("down", "-v");
    writeSecrets(join(folder, "secrets"));
    const both = ["-f", "compose.yaml", "-f", "postgres.yaml"];
    compose(...both, "config", "--quiet");
    beganAtMs = performance.now();
    const has = (verb: string, image: string) => spawnSync("docker", ["image", verb, image]).status === 0;
    for (const image of ["postgres:18", "caddy:2"])
      if (!has("inspect", image) && !has("pull", image))
        throw new NotTried(`${image} cannot be fetched here, so postgres.yaml was rendered only`);
    compose(...both, "up", "-d");
    await until("two servers behind Caddy", async () => {
      const response = await fetch("https://localhost/readyz", { tls: { rejectUnauthorized: false } });
      return response.status === 200;
    });
    step("postgres.yaml serves from two servers on PostgreSQL behind Caddy");
  } finally {
    spawnSync(command[0]!, [...command.slice(1), "-p", "rollcall-tried", "down", "-v"], { cwd: folder });
    await system.fake.stop();
  }
}

/** Writes the secrets' files for PostgreSQL, as docs/forms.md describes them. */
function writeSecrets(folder: string): void {
  mkdirSync(folder);
  const secrets = {
    owner_password: "owner",
    reader_password: "reader",
    owner_address: "postgres://rollcall:owner@postgres/rollcall",
    reader_address: "postgres://rollcall_reader:reader@postgres/rollcall",
  };
  for (const [name, text] of Object.entries(secrets)) writeFileSync(join(folder, name), text);
}

async function workers(key: string): Promise<number> {
  const response = await fetch(`${ADDRESS}/v1/workers`, { headers: { "x-api-key": key } });
  return response.ok ? ((await response.json()) as { count: number }).count : 0;
}

async function responds(path: string): Promise<void> {
  await until(path, async () => (await fetch(ADDRESS + path)).status === 200);
}

/** Repeats the check until it succeeds, for at most a minute. */
async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAtMs = performance.now() + 60_000;
  let problem: unknown = null;
  const asked = async () => {
    try {
      return await isSo();
    } catch (error) {
      problem = error;
      return false;
    }
  };
  while (!(await asked())) {
    if (performance.now() > giveUpAtMs)
      throw new Error(`${what} did not come within a minute`, { cause: problem });
    await Bun.sleep(500);
  }
}
