// Before every test file: properties run on one seed, so that a test that fails is of a change, and fails again. Trials, and
// `ROLLCALL_TEST_SEED=random`, run on others.
import fc from "fast-check";

const isTrial = process.argv.some((argument) => argument.endsWith(".trial.ts"));
if (!isTrial && process.env.ROLLCALL_TEST_SEED !== "random") fc.configureGlobal({ seed: 2026 });
delete process.env.ROLLCALL_TEST_SEED; // doctor warns of settings that it does not know
