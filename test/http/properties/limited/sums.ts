// Sums over workers: for somebody who sees some of them, the sum of theirs.
import { expect } from "bun:test";
import { MOVEMENTS } from "../../../../src/resources/movements.ts";
import { type Asker, allRows, anyKnownOn, queryOf, type Row, type Scene } from "./asking.ts";

const CAPACITIES = ["workers", "assumedWorkers", "scheduled", "holidays", "approved", "pending", "left"];

export async function compareMovements(scene: Scene, asker: Asker): Promise<void> {
  const parameters = [...anyKnownOn(scene), "from=2026-10-01", "to=2026-11-30"];
  const path = `/v1/time_off/movements${queryOf(parameters)}`;
  const theirs = await compareFinest(scene, asker, `${path}&groupBy=worker,policy,department`);
  const groupBy = scene.company.pick(["policy", "department", "worker", "policy,department"]);
  const groups = groupBy.split(",");
  const wanted = sumBy(theirs, MOVEMENTS, (row) => ({
    workerId: groups.includes("worker") ? row.workerId : null,
    policyId: groups.includes("policy") ? row.policyId : null,
    department: groups.includes("department") ? row.department : null,
    isPaidOut: row.isPaidOut,
    hasLeft: row.hasLeft,
  }));
  await compareSums(scene, asker, `${path}&groupBy=${groupBy}`, ["id"], wanted);
}

export async function compareCapacity(scene: Scene, asker: Asker): Promise<void> {
  const knownOn = anyKnownOn(scene);
  const by = scene.company.pick(["day", "month"]);
  const path = `/v1/time_off/capacity${queryOf([...knownOn, "from=2026-10-20", "to=2026-12-01", `by=${by}`])}`;
  const theirs = await compareFinest(scene, asker, `${path}&groupBy=worker`);
  const workers = await allRows(scene, `/v1/workers${queryOf(knownOn)}`, scene.all);
  const departments = new Map(
    workers.map(({ id, department }) => [id, (department as { id: string } | null)?.id ?? null]),
  );
  const isByDepartment = scene.random(2) === 0;
  const wanted = sumBy(theirs, CAPACITIES, (row) => ({
    from: row.from,
    to: row.to,
    departmentId: isByDepartment ? departments.get(row.workerId!) : null,
  }));
  const grouped = isByDepartment ? `${path}&groupBy=department` : path;
  await compareSums(scene, asker, grouped, ["id", "workerId", "department"], wanted);
}

/** The asker's rows of the finest sums: those of the whole company, of their workers. */
async function compareFinest(scene: Scene, asker: Asker, path: string): Promise<Row[]> {
  const rows = await allRows(scene, path, asker.whole);
  const theirs = rows.filter(({ workerId }) => asker.visible.has(workerId!));
  const label = `${asker.label} ${path}`;
  expect({ label, rows: await allRows(scene, path, asker.call) }).toEqual({ label, rows: theirs });
  return theirs;
}

type Sum = Record<string, unknown>;

function sumBy(rows: readonly Row[], names: readonly string[], groupOf: (row: Row) => Sum): Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const group = groupOf(row);
    const key = JSON.stringify(group);
    const sum = sums.get(key) ?? group;
    for (const name of names) {
      const total = Number(sum[name] ?? 0) + Number(row[name]);
      sum[name] = Math.round(total * 100) / 100;
    }
    sums.set(key, sum);
  }
  return [...sums.values()];
}

async function compareSums(
  scene: Scene,
  asker: Asker,
  path: string,
  leftOut: readonly string[],
  wanted: readonly Sum[],
): Promise<void> {
  const rows = await allRows(scene, path, asker.call);
  const own = rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !leftOut.includes(name))),
  );
  const label = `${asker.label} ${path}`;
  expect({ label, sums: inOrder(own) }).toEqual({ label, sums: inOrder(wanted) });
}

/** Sums as texts, in the order of the texts, whatever the order of their fields. */
function inOrder(sums: readonly Sum[]): string[] {
  return sums.map((sum) => JSON.stringify(Object.entries(sum).toSorted())).toSorted();
}
