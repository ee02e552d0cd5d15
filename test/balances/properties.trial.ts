// The same as properties.test.ts, with 10,000 cases of each property.
process.env.ROLLCALL_TEST_PROPERTY_RUNS = "10000";
await import("./properties.test.ts");
delete process.env.ROLLCALL_TEST_PROPERTY_RUNS; // doctor warns of settings that it does not know, also in other trials

export {};
