// The same as leave-days.test.ts, with 100,000 requests.
process.env.ROLLCALL_TEST_LEAVE_RUNS = "100000";
await import("./leave-days.test.ts");
delete process.env.ROLLCALL_TEST_LEAVE_RUNS; // doctor warns of settings that it does not know, also in other trials

export {};
