// Examines the embedded store without changing it: its files, its schema version, its pages.
import { Database, SQLiteError } from "bun:sqlite";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, resolve } from "node:path";
import type { Examination, Finding } from "../engine.ts";
import { type Contents, StoreRefusal, StoreUnavailable } from "../store.ts";
import { bucketsSql } from "../time-buckets.ts";
import { withSnapshot } from "./contents.ts";
import {
  failure,
  keysPath,
  lackOfParts,
  mapError,
  requireCurrent,
  Statements,
  type StoreFile,
} from "./database.ts";
import { pendingErasure } from "./erasure.ts";
import { keysFile } from "./keys.ts";
import { STORE_SCHEMA } from "./schema.ts";
import { abandonedFiles } from "./temporary-file.ts";

type Check = "presence" | "schema" | "parts" | "integrity" | "permissions" | "left-overs";
type FileFinding = Finding & { readonly check: Check };

/** After a finding of these checks the rows are not examined: the store is missing, damaged or of another version. */
const NOT_READABLE: readonly Check[] = ["presence", "schema", "integrity"];

/** See `Store.examine`. `isFull` also compares every index with its table. */
export async function examineStore(
  path: string,
  isFull: boolean,
  examineContents: (contents: Contents) => Promise<Finding[]>,
): Promise<Examination> {
  const findings: Finding[] = examineFiles(path, isFull);
  if (findings.some(({ check }) => NOT_READABLE.some((other) => other === check)))
    return { grants: null, findings };
  try {
    findings.push(...(await withSnapshot(path, examineContents)));
  } catch (error) {
    findings.push(findingOf(path, error));
  }
  return { grants: null, findings };
}

function examineFiles(storePath: string, isFull: boolean): FileFinding[] {
  if (!existsSync(storePath)) {
    const advice =
      "name another with --db, make one with rollcall companies create <id>, or rollcall restore a backup";
    return [{ check: "presence", problem: `there is no store at ${storePath}`, advice }];
  }
  const keys = keysPath(storePath);
  const closed = [storePath, keys].filter((path) => existsSync(path) && !mayRead(path));
  // A file that we may not read cannot be examined.
  if (closed.length > 0) return closed.map(unreadable);
  const findings = [...permissions(storePath), ...leftOvers(storePath)];
  const store = { path: storePath, schema: STORE_SCHEMA };
  findings.push(
    ...examineDatabase(store, (database) => [
      ...parts(database, store),
      ...integrity(database, storePath, isFull),
      ...unerased(database, storePath),
    ]),
  );
  if (existsSync(keys))
    findings.push(...examineDatabase(keysFile(storePath), (database) => integrity(database, keys, isFull)));
  return findings;
}

function mayRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function unreadable(path: string): FileFinding {
  const problem = `${path} may not be read by the user "${userInfo().username}", only by its owner`;
  return {
    check: "presence",
    problem,
    advice: `run rollcall as its owner: ls -l '${path}' tells who that is`,
  };
}

function permissions(storePath: string): FileFinding[] {
  const findings: FileFinding[] = [];
  for (const base of [storePath, keysPath(storePath)]) {
    const own = statSync(base, { throwIfNoEntry: false })?.mode ?? 0o600;
    for (const path of [base, `${base}-wal`, `${base}-shm`]) {
      const mode = statSync(path, { throwIfNoEntry: false })?.mode;
      const wrong = mode === undefined ? null : wrongMode(own, mode);
      if (wrong !== null) {
        const advice = `chmod 600 '${path}'`;
        findings.push({ check: "permissions", problem: `${path} ${wrong}`, advice });
      }
    }
  }
  return findings;
}

/** What is wrong with `mode`, the mode of a file or of one that SQLite keeps beside it; null if nothing is. `own`: the mode of the file. */
function wrongMode(own: number, mode: number): string | null {
  const shown = `(mode ${(mode & 0o777).toString(8).padStart(4, "0")})`;
  if ((mode & 0o077) !== 0) return `can be opened by others than its owner ${shown}`;
  // SQLite made it while the store was read-only. Now it keeps writers out.
  if ((own & 0o200) !== 0 && (mode & 0o200) === 0)
    return `cannot be written to, though the store can ${shown}`;
  return null;
}

function leftOvers(storePath: string): FileFinding[] {
  return abandonedFiles(storePath).map((path) => ({
    check: "left-overs",
    problem: `${path} was left by a restore that was killed, and holds people's data`,
    advice: `rm '${path}'`,
  }));
}

function unerased(database: Database, path: string): FileFinding[] {
  const statements = new Statements(database);
  const isPending = pendingErasure(statements) !== null;
  statements.finalize();
  if (!isPending) return [];
  return [
    {
      check: "left-overs",
      problem: `rows of removed people may be left in unused parts of ${path} and in its log: it was not rewritten since`,
      advice: "run any import, which does it",
    },
  ];
}

/** The findings of `examine`, or one finding if the file is not ours or not of this version. */
function examineDatabase(file: StoreFile, examine: (database: Database) => FileFinding[]): FileFinding[] {
  try {
    return mapError(file.path, () => {
      using database = new Database(file.path, { readonly: true });
      database.run("pragma busy_timeout = 2000");
      requireCurrent(database, file);
      return examine(database);
    });
  } catch (error) {
    return [findingOf(file.path, error)];
  }
}

/** Maps an error of opening or reading to a finding. Raises any other error again. */
function findingOf(path: string, error: unknown): FileFinding {
  const mapped = error instanceof SQLiteError ? failure(path, error) : error;
  if (mapped instanceof StoreRefusal)
    return { check: "schema", problem: mapped.problem, advice: mapped.advice ?? RESTORE };
  if (!(mapped instanceof StoreUnavailable)) throw error;
  const isClosed = (mapped.cause as SQLiteError).code === "SQLITE_CANTOPEN"; // each has one as its cause
  if (!isClosed) return { check: "integrity", problem: mapped.message, advice: RESTORE };
  // Reading also writes files beside the store. If the folder cannot be written, nothing is damaged.
  const closed = unwritableFolder(path);
  if (closed === null)
    return { check: "integrity", problem: mapped.problem, advice: mapped.advice ?? RESTORE };
  const advice = "let rollcall write there: readers of a store keep files beside it, too";
  return { check: "presence", problem: `${path} cannot be opened: ${closed}`, advice };
}

/** Why nothing can be written beside a file; null if it can. */
function unwritableFolder(path: string): string | null {
  const folder = dirname(resolve(path));
  try {
    accessSync(folder, constants.W_OK);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS"
      ? `the disk of ${folder} is mounted read-only`
      : `the user "${userInfo().username}" may not write to ${folder}`;
  }
}

const RESTORE = "check the disk, then bring back a backup: rollcall restore <file> --yes";

/** Reports missing tables, indexes and triggers. The other parts can be examined nevertheless. */
function parts(database: Database, file: StoreFile): FileFinding[] {
  const lack = lackOfParts(database, file);
  return lack === null ? [] : [{ check: "parts", problem: lack.problem, advice: lack.advice! }]; // it has one
}

function integrity(database: Database, path: string, isFull: boolean): FileFinding[] {
  const rows = database.query(`pragma ${isFull ? "integrity_check" : "quick_check"}(20)`).values();
  const problems = rows.map(([text]) => String(text)).filter((text) => text !== "ok");
  if (problems.length === 0) return isFull ? wrongTimeBuckets(database, path) : [];
  const problem = `${path} is damaged: ${problems[0]}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ""}`;
  return [{ check: "integrity", problem, advice: RESTORE }];
}

/** Filters by time miss requests whose time buckets are wrong: see time-buckets.ts. */
function wrongTimeBuckets(database: Database, path: string): FileFinding[] {
  if (database.query("select 1 from sqlite_schema where name = 'request_buckets'").get() === null) return [];
  const { first, last } = bucketsSql("r.");
  const count = (text: string) => Number(database.query(text).values()[0]?.[0]);
  const strays = count(`
    select count(*)
    from request_buckets b
    where not exists (
      select 1
      from requests r
      where (r.company_id, r.id, r.policy_id, r.status, r.start_at_ms, r.end_at_ms)
          = (b.company_id, b.id, b.policy_id, b.status, b.start_at_ms, b.end_at_ms)
        and b.bucket between ${first} and ${last})`);
  const missing =
    count(`select coalesce(sum(${last} - ${first} + 1), 0) from requests r`) -
    count("select count(*) from request_buckets");
  if (strays === 0 && missing === 0) return [];
  const problem = `${path} has requests that filters by time would miss or show twice (${strays + Math.abs(missing)})`;
  const advice = `rollcall copy --from '${path}' --to <a new file>, and use that one`; // a copy makes derived tables anew
  return [{ check: "integrity", problem, advice }];
}
