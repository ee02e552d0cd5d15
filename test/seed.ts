// Before every test file: properties run on one seed, so that a test that fails is of a change, and fails again. Trials, and
// `ROLLCALL_TEST_SEED=random`, run on others.
import fc from "fast-check";

const isTrial = process.argv.some((argument) => argument.endsWith(".trial.ts"));
if (!isTrial && process.env.ROLLCALL_TEST_SEED !== "random") fc.configureGlobal({ seed: 2026 });
delete process.env.ROLLCALL_TEST_SEED; // doctor warns of settings that it does not know

/**
 * In a process with an open connection, `expect(…).rejects` sleeps until the event loop wakes, though its promise is settled: up to four
 * seconds each time (Bun 1.4.5). A timer wakes it.
 */
const WAKE_EVERY_MS = 5;
setInterval(() => {}, WAKE_EVERY_MS).unref();
