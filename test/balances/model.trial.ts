// The same as model.test.ts, with 100,000 cases.
process.env.ROLLCALL_TEST_MODEL_RUNS = "100000";
await import("./model.test.ts");

export {};
