// Looking at the embedded store without changing it: its files, its schema version, its pages.
import { Database, SQLiteError } from "bun:sqlite";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import type { Examination, Finding } from "../engine.ts";
import { type Contents, StoreRefusal, StoreUnavailable } from "../store.ts";
import { bucketsSql, FIRST_LONG_BUCKET } from "../time-buckets.ts";
import { abandonedFiles } from "./backup/temporary-file.ts";
import { clearAfter, withSnapshot } from "./contents.ts";
import {
  failure,
  isMarkedForErasure,
  keysPath,
  mapError,
  openReader,
  Statements,
  schemaVersion,
} from "./database.ts";
import { countWrongFacts } from "./layout/worker-facts.ts";
import { KEYS_MIGRATIONS, MIGRATIONS } from "./schema.ts";

type Check = "presence" | "schema" | "integrity" | "permissions" | "left-overs";
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
  if (findings.some(({ check }) => NOT_READABLE.some((one) => one === check)))
    return { grants: null, findings };
  try {
    findings.push(...(await withSnapshot(path, examineContents)));
    // Rows that are wrong themselves are not what their facts are made of: that is said already.
    if (isFull && findings.every(({ check }) => check === "permissions" || check === "left-overs"))
      findings.push(...wrongFacts(path));
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
  findings.push(...examineDatabase(storePath, MIGRATIONS, isFull));
  if (existsSync(keys)) findings.push(...examineDatabase(keys, KEYS_MIGRATIONS, isFull));
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
  const problem = `${path} may not be read by the user "${userInfo().username}"; it is its owner's alone`;
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

/** `own` is the mode of the store or the keys, `mode` that of the file itself or of one that SQLite keeps beside it. */
function wrongMode(own: number, mode: number): string | null {
  const shown = `(mode ${(mode & 0o777).toString(8).padStart(4, "0")})`;
  if ((mode & 0o077) !== 0) return `can be opened by others than its owner ${shown}`;
  // Made while the store was read-only. Now it keeps writers out.
  if ((own & 0o200) !== 0 && (mode & 0o200) === 0)
    return `cannot be written to, though the store can ${shown}`;
  return null;
}

function leftOvers(storePath: string): FileFinding[] {
  const findings: FileFinding[] = abandonedFiles(storePath).map((path) => ({
    check: "left-overs",
    problem: `${path} was left by a restore that was killed, and holds people's data`,
    advice: `rm '${path}'`,
  }));
  if (isMarkedForErasure(storePath)) {
    findings.push({
      check: "left-overs",
      problem: `bytes of old rows may be left in unused parts of ${storePath}: they were not cleared since`,
      advice: "run any import, which clears them",
    });
  }
  return findings;
}

function examineDatabase(path: string, migrations: readonly string[], isFull: boolean): FileFinding[] {
  try {
    return mapError(path, () => {
      const database = new Database(path, { readonly: true });
      try {
        database.run("pragma busy_timeout = 2000");
        return [...schema(database, path, migrations), ...integrity(database, path, isFull)];
      } finally {
        database.close();
      }
    });
  } catch (error) {
    return [findingOf(path, error)];
  }
}

/** Maps an error of opening or reading to a finding. Raises any other error again. */
function findingOf(path: string, error: unknown): FileFinding {
  const said = error instanceof SQLiteError ? failure(path, error) : error;
  if (said instanceof StoreRefusal)
    return { check: "schema", problem: said.problem, advice: said.advice ?? RESTORE };
  if (!(said instanceof StoreUnavailable)) throw error;
  // What cannot be opened at all is more often a matter of the folder or the disk than of the file.
  const isClosed = error instanceof SQLiteError && error.code === "SQLITE_CANTOPEN";
  return isClosed && said.advice !== null
    ? { check: "integrity", problem: said.problem, advice: said.advice }
    : { check: "integrity", problem: said.message, advice: RESTORE };
}

const RESTORE = "check the disk, then bring back a backup: rollcall restore <file> --yes";

function schema(database: Database, path: string, migrations: readonly string[]): FileFinding[] {
  const version = schemaVersion(database, { path, migrations });
  if (version === migrations.length) return [];
  const problem = `${path} has schema version ${version}, this Rollcall needs ${migrations.length}`;
  return [{ check: "schema", problem, advice: "rollcall backup, then rollcall migrate" }];
}

function integrity(database: Database, path: string, isFull: boolean): FileFinding[] {
  const said = database.query(`pragma ${isFull ? "integrity_check" : "quick_check"}(20)`).values();
  const problems = said.map(([text]) => String(text)).filter((text) => text !== "ok");
  if (problems.length === 0) return isFull ? misfiled(database, path) : [];
  const problem = `${path} is damaged: ${problems[0]}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ""}`;
  return [{ check: "integrity", problem, advice: RESTORE }];
}

/** Filters by time miss requests whose time buckets are wrong: see time-buckets.ts. */
function misfiled(database: Database, path: string): FileFinding[] {
  if (database.query("select 1 from sqlite_schema where name = 'request_spans'").get() === null) return [];
  const count = (sql: string) => Number(database.query(sql).values()[0]?.[0]);
  // Stores of older versions have no objects there.
  const hasObjects = count("select count(*) from pragma_table_info('request_spans') where name = 'doc'") > 0;
  const hasOne = `s.span >= ${FIRST_LONG_BUCKET} or s.span = ${bucketsSql("r.").first}`;
  const isObject = `s.doc is iif(${hasOne}, r.doc, null)`;
  const strays = count(`select count(*) from request_spans s where not exists (
    select 1 from requests r where (r.company_id, r.id, r.policy_id, r.status, r.start_at_ms, r.end_at_ms) =
      (s.company_id, s.id, s.policy_id, s.status, s.start_at_ms, s.end_at_ms)${hasObjects ? ` and ${isObject}` : ""})`);
  const unfiled =
    count("select count(*) from requests") -
    count("select count(*) from (select distinct company_id, id from request_spans)");
  if (strays === 0 && unfiled === 0) return [];
  const problem = `${path} has requests that filters by time would miss or show twice (${strays + Math.abs(unfiled)})`;
  return [{ check: "integrity", problem, advice: copyAdvice(path) }];
}

/** Lists of balances would be computed from other facts than the imported ones: see layout/worker-facts.ts. */
function wrongFacts(path: string): FileFinding[] {
  const statements = new Statements(openReader({ path, migrations: MIGRATIONS }));
  try {
    statements.prepare("begin").run();
    const wrong = countWrongFacts(statements);
    if (wrong === 0) return [];
    const problem = `${path} has balances that are not computed from what was imported (of ${wrong} workers)`;
    return [{ check: "integrity", problem, advice: copyAdvice(path) }];
  } finally {
    statements.close();
    clearAfter(path);
  }
}

/** What is derived is made anew. */
function copyAdvice(path: string): string {
  return `rollcall copy --from '${path}' --to <a new file>, and use that one`;
}
