// What an import notes of its rows is found again.
import { expect, test } from "bun:test";
import { ImportMemory, type NamedManager } from "../../src/import/memory.ts";

const KEYS = ["wrk_a", "wrk_b", "wrk_c", "wrk_d"];

const manager = (workerId: string): NamedManager => ({
  workerId,
  legacyId: null,
  name: `manager of ${workerId}`,
  managerId: null,
  counted: "unchanged",
  sourceAt: 0,
  place: { file: "workers.csv", line: 2 },
});

test("keys and their first places", () => {
  const memory = new ImportMemory();
  for (const [at, key] of KEYS.entries()) expect(memory.firstPlace("workers", key, at, 10 + at)).toBeNull();
  for (const [at, key] of KEYS.entries()) {
    expect(memory.firstPlace("workers", key, 9, 99)).toEqual({ sourceAt: at, line: 10 + at });
    expect([memory.isSeen("workers", key), memory.isSeen("policies", key)]).toEqual([true, false]);
  }
  expect(memory.isSeen("workers", "wrk_e")).toBe(false);
  memory.close();
});

test("keys that are only present", () => {
  const memory = new ImportMemory();
  for (const key of KEYS.slice(0, 3)) memory.firstPlace("workers", key, 0, 1);
  for (const key of ["wrk_a", "wrk_c", "wrk_d", "wrk_e"]) memory.notePresent("workers", key);
  expect([memory.hasPresent("workers"), memory.hasPresent("policies")]).toEqual([true, false]);
  expect(memory.isPresent("workers", "wrk_b")).toBe(true);
  memory.close();
});

test("managers, by their workers and the other way round", () => {
  const memory = new ImportMemory();
  for (const key of KEYS) memory.noteManager(manager(key));
  expect([...memory.namedManagers(2)].flat()).toEqual(KEYS.map(manager));
  for (const key of KEYS.slice(1)) memory.noteManagerId(key, "wrk_a");
  expect([...KEYS, "wrk_nobody"].map((key) => memory.managerOf(key))).toEqual([
    null,
    "wrk_a",
    "wrk_a",
    "wrk_a",
    undefined,
  ]);
  expect(memory.managedBy("wrk_a").map(({ workerId }) => workerId)).toEqual(KEYS.slice(1));
  expect(memory.managedBy("wrk_b")).toEqual([]);
  memory.close();
});
