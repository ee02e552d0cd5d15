// The cold page against other ways to serve the same rows, one after the other, each in rounds with Rollcall.
import { writeFileSync } from "node:fs";
import type { BenchData } from "../data/build.ts";
import { shuffledWorkerIds } from "../data/paths.ts";
import { makePeerData } from "../data/peers.ts";
import { BIG, dataPath } from "../data/shape.ts";
import { driveAgain, type Load } from "../load/wrk.ts";
import { type Line, median } from "../report.ts";
import type { RoundPlan } from "../rounds.ts";
import { ALL_PEERS, isInstalled, type Peer } from "../targets/peers.ts";
import { startRollcall } from "../targets/rollcall.ts";

const ROUNDS = 3;

export async function measurePeers(data: BenchData, plan: RoundPlan, log: (line: string) => void) {
  makePeerData(data.storePath);
  const lines: Line[] = [];
  const notes: string[] = [];
  for (const peer of ALL_PEERS) {
    try {
      if (!isInstalled(peer)) throw new Error("it is not installed (npm ci in its folder under bench/peers)");
      lines.push(await measurePeer(data, peer, plan, log));
    } catch (error) {
      notes.push(
        `${peer.name} was not measured: ${error instanceof Error ? error.message.split("\n")[0] : error}`,
      );
    }
  }
  return { lines, notes };
}

async function measurePeer(
  data: BenchData,
  peer: Peer,
  plan: RoundPlan,
  log: (line: string) => void,
): Promise<Line> {
  const apiKey = data.keys.big;
  const rollcall = await startRollcall({ storePath: data.storePath, port: 4074, cacheMegabytes: 1, apiKey });
  const server = await peer.start();
  try {
    const paths = shuffledWorkerIds().map((id, index) => peer.path(id, Math.imul(index, 7919) >>> 0));
    await requireWorkers(server.address + paths[0], peer);
    const pathsFile = dataPath("peer.paths");
    writeFileSync(pathsFile, `${paths.join("\n")}\n`);
    const load = { seconds: plan.seconds, connections: 32 };
    const theirs: Load = { ...load, address: server.address, pathsFile, headers: peer.headers ?? {} };
    const ours: Load = { ...load, address: rollcall.address, pathsFile: dataPath("cold.paths"), apiKey };
    await driveAgain({ ...theirs, seconds: plan.warmUpSeconds }, log);
    await driveAgain({ ...ours, seconds: plan.warmUpSeconds }, log);
    const rates: number[] = [];
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [their, own] = [await driveAgain(theirs, log), await driveAgain(ours, log)];
      rates.push(own.requestsPerSecond);
      ratios.push(own.requestsPerSecond / their.requestsPerSecond);
      log(
        `  ${peer.name}: ${their.requestsPerSecond.toFixed(0)}/s, Rollcall ${own.requestsPerSecond.toFixed(0)}/s`,
      );
    }
    return {
      id: `cold against ${peer.name}`,
      label: "cold page",
      value: median(rates),
      unit: "/s",
      against: {
        label: peer.name,
        ratio: median(ratios),
        ...(peer.reach === undefined ? {} : { reach: peer.reach }),
      },
    };
  } finally {
    await server.stop();
    await rollcall.stop();
  }
}

/** Raises an Error unless the peer's response holds 25 of the workers. */
async function requireWorkers(address: string, peer: Peer): Promise<void> {
  const response = await fetch(address, { headers: peer.headers ?? {} });
  const body = await response.text();
  const count = body.match(/"id": ?"wrk_[0-9a-f]{20}"/g)?.length;
  if (response.status !== 200 || count !== 25) {
    throw new Error(
      `${peer.name} returned ${response.status} with ${count} of ${BIG.workers} workers: ${body.slice(0, 200)}`,
    );
  }
}
