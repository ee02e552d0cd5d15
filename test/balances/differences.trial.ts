// The same properties with a thousand pairs of facts.
process.env.ROLLCALL_TEST_RUNS ??= "1000";
await import("./differences.test.ts");

export {};
