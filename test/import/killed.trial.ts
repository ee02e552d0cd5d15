// The same as killed.test.ts, with 100 kills.
process.env.ROLLCALL_TEST_KILLS = "100";
await import("./killed.test.ts");

export {};
