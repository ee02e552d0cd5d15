// A streaming standby of a test server. The embedded binaries have no pg_basebackup, so the base backup is taken with
// the functions that pg_basebackup itself uses (PostgreSQL's manual, Making a Base Backup Using the Low Level API).
import { chmodSync, chownSync, cpSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import pg from "pg";
import { freePort, type Server, serverIn } from "./postgres.ts";

const NOT_COPIED = ["postmaster.pid", "postmaster.opts"];

/** A standby beside the primary's folder, started, and following it at the port `from`. */
export async function startStandby(primary: Server, from = primary.port): Promise<Server> {
  const folder = join(dirname(primary.folder), "standby");
  const port = await freePort();
  const client = new pg.Client({ connectionString: primary.url() });
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', fast => true)");
    cpSync(primary.folder, folder, {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => !NOT_COPIED.includes(basename(path)),
    });
    const stopped = await client.query("select labelfile from pg_backup_stop(wait_for_archive => false)");
    writeFileSync(join(folder, "backup_label"), stopped.rows[0].labelfile);
  } finally {
    await client.end();
  }
  writeFileSync(join(folder, "standby.signal"), "");
  giveTo(folder, primary.folder);
  const source = new URL(primary.url());
  const conninfo = `host=127.0.0.1 port=${from} user=${source.username} password=${source.password}`;
  const standby = serverIn(folder, port, [`primary_conninfo=${conninfo}`, "hot_standby=on"]);
  await standby.start();
  return standby;
}

/** PostgreSQL insists on a folder for its owner only; where the tests run as root, that is a user of its own. */
function giveTo(folder: string, model: string): void {
  const { uid, gid } = statSync(model);
  chmodSync(folder, 0o700);
  if (process.getuid?.() !== 0) return;
  for (const path of new Bun.Glob("**/*").scanSync({ cwd: folder, dot: true, onlyFiles: false })) {
    chownSync(join(folder, path), uid, gid);
  }
  chownSync(folder, uid, gid);
}

/** Waits until the standby has replayed what the primary has written by now. */
export async function caughtUp(primary: Server, standby: Server): Promise<void> {
  const [written] = await primary.run<{ lsn: string }>("select pg_current_wal_lsn()::text as lsn");
  for (let tries = 0; tries < 500; tries++) {
    const [row] = await standby.run<{ done: boolean }>(
      "select pg_last_wal_replay_lsn() >= $1::pg_lsn as done",
      [written!.lsn],
    );
    if (row?.done) return;
    await Bun.sleep(10);
  }
  throw new Error("The standby did not catch up");
}
