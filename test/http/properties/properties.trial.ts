// The same as the tests beside it, with 2,000 cases of each property.
process.env.ROLLCALL_TEST_RUNS = "2000";
for (const name of ["filters", "isolation", "queries", "walk"]) await import(`./${name}.test.ts`);
delete process.env.ROLLCALL_TEST_RUNS; // the trial of the change feed counts its own runs with it

export {};
