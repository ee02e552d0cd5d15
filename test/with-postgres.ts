// Runs a command while there is a PostgreSQL server for all the test files that it runs: bun with-postgres.ts COMMAND…
// Without it, each file that runs in a process or a global object of its own starts a server of its own.
import { newServer, SHARED_PORT } from "./support/postgres.ts";

/** Several files at a time, each with some stores, and each of them with a pool of connections. */
const MAX_CONNECTIONS = 400;

/** Memory that a test frees stays with its process: to give it back and take it again is a fifth of a test's CPU time. */
const KEEP_MEMORY = { MIMALLOC_PURGE_DELAY: "-1" };

const server = await newServer([`max_connections=${MAX_CONNECTIONS}`]);
const command = Bun.spawn(process.argv.slice(2), {
  env: { ...process.env, ...KEEP_MEMORY, [SHARED_PORT]: String(server.port) },
  stdio: ["inherit", "inherit", "inherit"],
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => command.kill(signal));
process.exitCode = await command.exited;
await server.stop();
