// Who is assigned to what in a draft, and that files in other forms than those of people are read as what they are.
import { describe, expect, test } from "bun:test";
import { importedDraft } from "./draft-folders.ts";

/** All of the leave is approved. */
const APPROVED = { "requests.values.status": "approved" };

describe("a draft gives everybody what at least half of those with leave have", () => {
  const people = [1, 2, 3, 4].map((id) => ({
    id,
    firstName: "Ana",
    lastName: `L${id}`,
    hireDate: "2020-01-01",
  }));
  const leave = [
    [1, "Holiday"],
    [2, "Holiday "],
    [3, "Holiday"],
    [3, "Parental, long"],
  ].map(([id, kind], at) => ({
    requestId: at,
    employee: { id },
    leave: { type: kind },
    from: `2025-03-0${at + 1}`,
    to: `2025-03-0${at + 1}`,
    days: 1,
  }));
  const csv = (rows: readonly object[]) =>
    [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))]
      .map((row) => row.map((cell) => `"${cell}"`).join(","))
      .join("\n");
  const flat = leave.map(({ employee, leave: { type }, ...rest }) => ({
    employeeId: employee.id,
    leaveType: type,
    ...rest,
  }));

  test.each([
    ["JSON, and their leave", { "people.json": JSON.stringify(people), "leave.json": JSON.stringify(leave) }],
    ["CSV, and their leave as JSON", { "people.csv": csv(people), "leave.json": JSON.stringify(leave) }],
    ["JSON, and their leave as CSV", { "people.json": JSON.stringify(people), "leave.csv": csv(flat) }],
    [
      "JSON, and their leave as lines",
      {
        "people.json": JSON.stringify(people),
        "leave.jsonl": leave.map((one) => JSON.stringify(one)).join("\n"),
      },
    ],
  ])("people are %s", async (_, files) => {
    const { draft, stored } = await importedDraft(files, APPROVED);
    expect(draft).toContain('// "Holiday": everybody has it, with leave or without');
    expect(draft).toContain('// "Parental, long": those who have such leave in the files');
    const ids = new Map([...stored.workers, ...stored.policies].map(({ id, legacyId }) => [id, legacyId]));
    expect(
      stored.assignments.map(({ workerId, policyId }) => [ids.get(workerId), ids.get(policyId)]).toSorted(),
    ).toEqual([
      ["1", "Holiday"],
      ["2", "Holiday"],
      ["3", "Holiday"],
      ["3", "Parental, long"],
      ["4", "Holiday"],
    ]);
    expect(stored.requests).toHaveLength(4);
  });

  test("but not the rows of totals, and not where balances say who has what", async () => {
    const files = { "people.csv": `${csv(people)}\nTotal,4,,`, "leave.csv": csv(flat) };
    expect((await importedDraft(files, APPROVED)).stored.assignments).toHaveLength(5);
    const balances = {
      "balances.csv": "employeeId,leaveType,date,days\n1,Holiday,2025-01-01,3\n2,Holiday,2025-01-01,4",
    };
    const { draft, stored } = await importedDraft({ ...files, ...balances }, APPROVED);
    expect(draft).toContain("those who have such leave or a balance in the files");
    expect(stored.assignments).toHaveLength(4);
  });
});
