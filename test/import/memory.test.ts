// What an import notes of its rows is found again.
import { expect, test } from "bun:test";
import { ImportMemory, type NamedManager } from "../../src/import/memory.ts";

const KEYS = ["wrk_a", "wrk_b", "wrk_c", "wrk_d"];

const manager = (workerId: string): NamedManager => ({
  workerId,
  name: `manager of ${workerId}`,
  file: 0,
  managerId: null,
  counted: "unchanged",
  located: { file: "workers.csv", line: 2, header: [], cells: [], row: { id: workerId, legacyId: null } },
  before: null,
});

test("keys and their first places", () => {
  const memory = new ImportMemory();
  for (const [at, key] of KEYS.entries()) expect(memory.firstPlace("workers", key, at, 10 + at)).toBeNull();
  for (const [at, key] of KEYS.entries()) {
    expect(memory.firstPlace("workers", key, 9, 99)).toEqual({ file: at, line: 10 + at });
    expect([memory.isSeen("workers", key), memory.isSeen("policies", key)]).toEqual([true, false]);
  }
  expect(memory.isSeen("workers", "wrk_e")).toBe(false);
  memory.close();
});

test("keys that are only present", () => {
  const memory = new ImportMemory();
  for (const key of KEYS.slice(0, 3)) memory.firstPlace("workers", key, 0, 1);
  for (const key of ["wrk_a", "wrk_c", "wrk_d", "wrk_e"]) memory.notePresent("workers", key);
  expect([...memory.presentKeys("workers", 1)]).toEqual([[["wrk_d"]], [["wrk_e"]]]);
  expect(memory.isPresent("workers", "wrk_b")).toBe(true);
  memory.close();
});

test("managers and how their workers are counted", () => {
  const memory = new ImportMemory();
  for (const key of KEYS) memory.noteManager(manager(key));
  const found = [...memory.namedManagers(2)].flat().map(({ workerId, name }) => [workerId, name]);
  expect(found.toSorted()).toEqual(KEYS.map((key) => [key, `manager of ${key}`]));
  for (const key of KEYS) {
    expect(memory.namedManager(key)).toEqual(manager(key));
    memory.noteChangedManager(key);
    expect(memory.namedManager(key)!.counted).toBe("changed");
  }
  expect(memory.namedManager("wrk_nobody")).toBeNull();
  memory.close();
});
