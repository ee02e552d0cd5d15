// The same as model.test.ts, with 100,000 cases.
process.env.ROLLCALL_TEST_MODEL_RUNS = "100000";
await import("./model.test.ts");
delete process.env.ROLLCALL_TEST_MODEL_RUNS; // doctor warns of settings that it does not know, also in other trials

export {};
