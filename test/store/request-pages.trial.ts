// The same as request-pages.all.test.ts, with 10,000 pages on each engine.
process.env.ROLLCALL_TEST_PAGE_RUNS = "10000";
await import("./request-pages.all.test.ts");
delete process.env.ROLLCALL_TEST_PAGE_RUNS;

export {};
