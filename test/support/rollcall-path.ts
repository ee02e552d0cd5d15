// What tests start as `rollcall`.
import { join } from "node:path";

/** The variable in which `with-executable.ts` says where the executable is. */
export const EXECUTABLE = "TEST_ROLLCALL_EXECUTABLE";

/** The sources of this checkout, where a test is of them. */
export const CHECKOUT = join(import.meta.dir, "../../bin/rollcall");

export const ROLLCALL = process.env[EXECUTABLE] ?? CHECKOUT;
