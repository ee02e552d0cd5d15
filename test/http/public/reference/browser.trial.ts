// The same as browser.all.test.ts, with the accessibility of every operation.
process.env.ROLLCALL_TEST_WHOLE_REFERENCE = "1";
await import("./browser.all.test.ts");
delete process.env.ROLLCALL_TEST_WHOLE_REFERENCE; // doctor warns of settings that it does not know, also in other trials

export {};
