// One pull in this process: real requests and files, with a clock that does not wait.
import { join } from "node:path";
import { PulledFolder } from "../../src/pull/folder.ts";
import { pull } from "../../src/pull/pull.ts";
import { checkedPullFile } from "../../src/pull/pull-file.ts";
import type { PullRecord } from "../../src/pull/record.ts";
import { readVariables } from "../../src/pull/template.ts";
import type { Clock } from "../../src/pull/upstream.ts";
import { parseDay } from "../../src/time/day.ts";
import { temporaryFolder } from "../support/import-files.ts";

export interface Pulled {
  readonly folder: string;
  readonly record: PullRecord | null;
  readonly error: Error | null;
  readonly notes: readonly string[];
  /** How long the pull would have waited, in all. */
  readonly waitedMs: number;
}

/** Pulls into `folder`, and puts it in its place. */
export async function pullHere(
  content: Record<string, unknown>,
  environment: Record<string, string> = {},
  place = join(temporaryFolder(), "hr"),
  onClock: (now: () => number) => void = () => {},
): Promise<Pulled> {
  let nowMs = Date.parse("2026-03-01T08:00:00Z");
  let waitedMs = 0;
  const clock: Clock = {
    now: () => nowMs,
    async sleep(durationMs) {
      nowMs += durationMs;
      waitedMs += durationMs;
    },
    random: () => 0.5,
  };
  onClock(clock.now);
  const notes: string[] = [];
  let folder: PulledFolder | null = null;
  try {
    const pullFile = {
      label: "test",
      name: "test",
      isPreset: false,
      content: checkedPullFile("test", content),
    };
    const { values, problems } = readVariables(content, environment, parseDay("2026-03-01")!);
    if (problems.length > 0) throw new Error(problems.join("\n"));
    folder = new PulledFolder(place);
    const onNote = (note: string) => void notes.push(note);
    const record = await pull({ pullFile, values, clock, version: "0", onNote }, folder);
    folder.replace();
    return { folder: place, record, error: null, notes, waitedMs };
  } catch (error) {
    folder?.discard();
    return { folder: place, record: null, error: error as Error, notes, waitedMs }; // nothing else is thrown
  }
}
