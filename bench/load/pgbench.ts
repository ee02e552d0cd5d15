// One run of pgbench on a core. It repeats a statement, each time with a random cursor.

import { writeFileSync } from "node:fs";
import type { Sql } from "sql-template-tag";
import { dataPath } from "../data/shape.ts";

/** A random cursor among ids, which begin with numbers of eight hexadecimal digits. */
const CURSOR = "'wrk_' || lpad(to_hex(cast(:place as bigint)), 8, '0')";

export interface PgbenchLoad {
  readonly url: string;
  /** Each transaction runs a random script. */
  readonly scripts: readonly string[];
  readonly core: number;
  readonly connections: number;
  readonly seconds: number;
}

/** Writes the script of a statement, and returns its path. Each transaction draws another value in place of `cursor`. */
export function writeScript(name: string, statement: Sql, cursor: string): string {
  const text = withValues(statement, (value) => (value === cursor ? `(${CURSOR})` : literal(value)));
  const path = dataPath(`${name}.pgbench`);
  writeFileSync(path, `\\set place random(0, 4294967295)\n${text};\n`);
  return path;
}

/** The statement with its values filled in. */
export function withValues({ text, values }: Sql, write: (value: unknown) => string = literal): string {
  return text.replace(/\$(\d+)/g, (_, number) => write(values[Number(number) - 1]));
}

function literal(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return `'{${value.join(",")}}'`; // ids and words need no quotes
  return `'${String(value).replaceAll("'", "''")}'`;
}

/** Transactions a second. Raises an Error if pgbench or any transaction failed. */
export async function drivePgbench(load: PgbenchLoad): Promise<{ rate: number; responses: number }> {
  const url = new URL(load.url);
  const connections = String(load.connections);
  const child = Bun.spawn(
    [
      "taskset",
      "-c",
      String(load.core),
      "pgbench",
      "-n",
      "-M",
      "prepared",
      "-c",
      connections,
      "-j",
      "1",
    ].concat([
      ...["-T", String(load.seconds), ...load.scripts.flatMap((script) => ["-f", script])],
      ...["-h", url.hostname, "-p", url.port, "-U", url.username, url.pathname.slice(1)],
    ]),
    { stdout: "pipe", stderr: "pipe", env: { ...process.env, PGPASSWORD: decodeURIComponent(url.password) } },
  );
  const [output, problems] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const rate = Number(/^tps = ([\d.]+)/m.exec(output)?.[1]);
  const responses = Number(/^number of transactions actually processed: (\d+)/m.exec(output)?.[1]);
  const failed = /^number of failed transactions: (\d+)/m.exec(output)?.[1] ?? "0";
  if ((await child.exited) !== 0 || !(rate > 0) || failed !== "0") {
    throw new Error(`pgbench of ${load.scripts[0]} failed: ${output}${problems}`);
  }
  return { rate, responses };
}
