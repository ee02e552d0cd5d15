import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchData } from "../data/build.ts";
import { BIG, dataPath } from "../data/shape.ts";
import { driveAgain, SERVER_CORE } from "../load/wrk.ts";
import { type Line, median } from "../report.ts";
import type { RoundPlan } from "../rounds.ts";
import { cpuSeconds, type Running, start } from "../targets/process.ts";
import { startRollcall } from "../targets/rollcall.ts";

const AT_MOST = 1.3;
const PAGES = 20_000;
const CONSTANT_PORT = 4075;

export async function measureLoop(
  { storePath, keys }: BenchData,
  plan: RoundPlan,
  log: (line: string) => void,
): Promise<Line[]> {
  const pathsFile = dataPath("cold.paths");
  const page = await startRollcall({ storePath, port: 4074, cacheMegabytes: 1, apiKey: keys.big });
  let constant: Running | null = null;
  try {
    const [path] = (await Bun.file(pathsFile).text()).split("\n");
    constant = await startConstant(
      await fetch(page.address + path, { headers: { "x-api-key": keys.big, "accept-encoding": "identity" } }),
    );
    const rounds: { pageUs: number; constantUs: number; loopUs: number }[] = [];
    for (let round = 0; round <= plan.rounds; round++) {
      const seconds = round === 0 ? plan.warmUpSeconds : plan.seconds;
      const each = async ({ address, pid }: Running) => {
        const before = cpuSeconds(pid);
        const { requests } = await driveAgain({ address, pathsFile, apiKey: keys.big, seconds }, log);
        return ((cpuSeconds(pid) - before) / requests) * 1e6;
      };
      const taken = {
        pageUs: await each(page),
        constantUs: await each(constant),
        loopUs: readLoop(storePath, BIG.id, pathsFile),
      };
      if (round === 0) continue; // it warmed up
      rounds.push(taken);
      const texts = Object.values(taken).map((one) => one.toFixed(1));
      log(`  page, constant, loop: ${texts.join(", ")} µs`);
    }
    const of = (name: "pageUs" | "constantUs" | "loopUs") => median(rounds.map((one) => one[name]));
    const parts = `a constant response (${of("constantUs").toFixed(1)} µs) and the same read in a loop (${of("loopUs").toFixed(1)} µs)`;
    return [
      {
        id: "loop",
        label: "cold page, CPU time",
        value: of("pageUs"),
        unit: " µs",
        against: {
          label: parts,
          ratio: median(rounds.map(({ pageUs, constantUs, loopUs }) => pageUs / (constantUs + loopUs))),
          atMost: AT_MOST,
        },
      },
    ];
  } finally {
    await page.stop();
    await constant?.stop();
  }
}

/** Bun sends these headers by itself. */
const OWN_HEADERS = new Set(["date", "content-length"]);

/** A server whose responses are all like this one. */
async function startConstant(response: Response): Promise<Running> {
  if (response.status !== 200) throw new Error(`the page was a ${response.status}`);
  const bodyFile = dataPath("constant.json");
  writeFileSync(bodyFile, await response.bytes());
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !OWN_HEADERS.has(name)));
  return start({
    command: [
      process.execPath,
      join(import.meta.dir, "..", "targets", "constant.ts"),
      String(CONSTANT_PORT),
      bodyFile,
      JSON.stringify(headers),
    ],
    address: `http://127.0.0.1:${CONSTANT_PORT}`,
    readyPath: "/v1/workers",
  });
}

function readLoop(storePath: string, company: string, pathsFile: string): number {
  const script = join(import.meta.dir, "..", "load", "read-loop.ts");
  const words = [process.execPath, script, storePath, company, pathsFile, String(PAGES)];
  const run = Bun.spawnSync(["taskset", "-c", String(SERVER_CORE), ...words]);
  if (run.exitCode !== 0) throw new Error(`the loop failed: ${run.stderr}`);
  return Number(run.stdout.toString());
}
