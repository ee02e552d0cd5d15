// The same as digests.all.test.ts, with 1,000 series of imports.
process.env.ROLLCALL_TEST_DIGEST_RUNS = "1000";
await import("./digests.all.test.ts");
delete process.env.ROLLCALL_TEST_DIGEST_RUNS;

export {};
