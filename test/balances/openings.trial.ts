// The same as openings.test.ts, with 10,000 cases.
process.env.ROLLCALL_TEST_OPENING_RUNS = "10000";
await import("./openings.test.ts");
delete process.env.ROLLCALL_TEST_OPENING_RUNS; // doctor warns of settings that it does not know, also in other trials

export {};
