// On PostgreSQL, doctor shows what the role may do, and says when that is more than a server needs.
import { expect, test } from "bun:test";
import { sharedServer } from "../../support/postgres.ts";
import { rollcallHere } from "../command.ts";

test("an administrator can do too much, the reader's role just enough", async () => {
  const server = await sharedServer();
  const owner = await server.createDatabase();
  const database = new URL(owner).pathname.slice(1);
  const role = `reader_of_${database.slice(-8)}`;
  const migrated = await rollcallHere("/", ["migrate", "--reader-role", role], {
    ROLLCALL_DB: owner,
    ROLLCALL_READER_PASSWORD: "s3cret",
  });
  expect(migrated.stderr).toBe("");

  const asOwner = await rollcallHere("/", ["doctor"], { ROLLCALL_DB: owner });
  expect(asOwner.exitCode).toBe(1);
  expect(asOwner.stdout).toMatch(/^ {2}select, insert, update, delete, .*: .*, workers, /m);
  expect(asOwner.stdout).toMatch(/acting for the administrator/);
  expect(asOwner.stdout).toMatch(
    /^grants: The role "postgres" can do more than any command needs \(superuser; makes roles; makes databases; replicates\)$/m,
  );

  const asReader = await rollcallHere("/", ["doctor"], { ROLLCALL_DB: server.url(database, role, "s3cret") });
  expect(asReader.stdout).toMatch(/^ {2}select: .*, workers, /m);
  expect(asReader.stdout).toContain("nothing found");
  expect(asReader.exitCode).toBe(0);

  await server.run(`alter role ${role} set default_transaction_read_only = on`);
  const asReadOnly = await rollcallHere("/", ["doctor"], {
    ROLLCALL_DB: server.url(database, role, "s3cret"),
  });
  expect(asReadOnly.stdout).toMatch(
    /^grants: .* \(default_transaction_read_only = on\): .* hooks get no events$/m,
  );
  expect(asReadOnly.exitCode).toBe(1);
  for (const { stdout, stderr } of [asOwner, asReader])
    expect(stdout + stderr).not.toMatch(/s3cret|password/);
});
