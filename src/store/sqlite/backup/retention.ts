// All points of a folder of backups: which of them can be restored, and which are too old to be kept.
import { StoreRefusal } from "../../store.ts";
import type { BackupFolder, WritableBackupFolder } from "./folder.ts";
import { DamagedFile, type Digest, listedPieces } from "./format.ts";

/**
 * Removes points whose successor is older than what is kept, and then the pieces that no point names. So every moment within
 * that time can be restored, and what was removed from the store leaves the folder that long after the next point. Raises
 * StoreRefusal if a point cannot be read: then pieces stay. Returns how many files were removed.
 */
export function sweep(folder: WritableBackupFolder, keepMs: number, nowMs: number): number {
  const moments = folder.moments();
  const dropped = moments.filter((_, index) => (moments[index + 1] ?? Infinity) <= nowMs - keepMs);
  for (const moment of dropped) folder.removePoint(moment);
  try {
    return dropped.length + folder.keepPieces(namedBy(folder, moments.slice(dropped.length)));
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    throw new StoreRefusal(`Old backups were not all removed, because ${error.problem}`, error.advice);
  }
}

function namedBy(folder: BackupFolder, moments: readonly number[]): Set<Digest> {
  const named = new Set<Digest>();
  for (const moment of moments) {
    const { secrets, companies } = folder.point(moment);
    named.add(secrets);
    for (const { list, imports } of companies) {
      named.add(imports);
      if (named.has(list)) continue;
      named.add(list);
      for (const { digest } of listedPieces(folder, list)) named.add(digest);
    }
  }
  return named;
}

export interface FolderDescription {
  readonly points: number;
  readonly pieces: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** When the store was last seen to be as the last point says. */
  readonly seenMs: number;
}

/** The most damaged files that are named. */
const NAMED_MAX = 10;

/** Reads every point and every piece that one names. Raises StoreRefusal that says what cannot be restored. */
export function verifyFolder(folder: BackupFolder): FolderDescription {
  const moments = folder.recordedMoments();
  const damaged: string[] = [];
  /** False if what is read, or what it names, is missing or damaged. */
  const attempt = (read: () => boolean): boolean => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
      damaged.push(error.problem);
      return false;
    }
  };
  const results = new Map<Digest, boolean>();
  const once = (digest: Digest, read: () => boolean): boolean => {
    const result = results.get(digest) ?? attempt(read);
    results.set(digest, result);
    return result;
  };
  const isWhole = (digest: Digest) => once(digest, () => folder.piece(digest) !== null);
  const isListWhole = (list: Digest) =>
    once(list, () => listedPieces(folder, list).filter(({ digest }) => !isWhole(digest)).length === 0);
  const whole = moments.filter((moment) =>
    attempt(() => {
      const { secrets, companies } = folder.point(moment);
      const found = companies.flatMap(({ list, imports }) => [isListWhole(list), isWhole(imports)]);
      return isWhole(secrets) && !found.includes(false);
    }),
  );
  if (damaged.length > 0) throw damagedFolder(folder, damaged, moments.length - whole.length, whole.at(-1));
  const lastMs = moments.at(-1)!;
  return {
    points: moments.length,
    pieces: results.size,
    firstMs: moments[0]!,
    lastMs,
    seenMs: folder.seenMs(lastMs),
  };
}

function damagedFolder(
  folder: BackupFolder,
  damaged: readonly string[],
  lost: number,
  lastMs: number | undefined,
): StoreRefusal {
  const others = damaged.length > NAMED_MAX ? `, and ${damaged.length - NAMED_MAX} more` : "";
  const last =
    lastMs === undefined ? "none is left" : `the last that can is ${new Date(lastMs).toISOString()}`;
  return new StoreRefusal(
    `Backups in ${folder.path} are damaged: ${damaged.slice(0, NAMED_MAX).join(", ")}${others}. ${lost} of its moments cannot be restored; ${last}`,
    "remove the damaged files and run rollcall backup again: it writes what the store still has",
  );
}
