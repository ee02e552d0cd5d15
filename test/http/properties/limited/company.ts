// A company that changes every night, stored, and kept beside it as plain maps.
import type { Worker } from "../../../../src/resources/workers.ts";
import type { ImportTransaction, KeyAccess } from "../../../../src/store/store.ts";
import { formatDay } from "../../../../src/time/day.ts";
import {
  adjustmentRow,
  assignmentRow,
  departmentRow,
  policyRow,
  requestRow,
  workerRow,
} from "../../../support/rows.ts";

export type Random = (below: number) => number;

interface Person {
  manager: string | null;
  department: string | null;
  status: Worker["status"];
}

interface Leave {
  readonly workerId: string;
  readonly policyId: string;
  readonly day: number;
  readonly status: "approved" | "pending" | "denied";
}

const DEPARTMENT_NAMES = { dpt_ops: "Ops", dpt_night: "Night", dpt_late: "Late", dpt_pay: "Pay" };
export const DEPARTMENTS = ["dpt_ops", "dpt_night", "dpt_late", "dpt_pay"] as const;
export const POLICIES = ["top_pto", "top_sick"];
const WORKER_IDS = 48;
const REQUEST_IDS = 150;

export class Company {
  readonly people = new Map<string, Person>();
  readonly leave = new Map<string, Leave>();
  /** The department above each department. */
  readonly parents = new Map<string, string | null>([
    ["dpt_ops", null],
    ["dpt_night", "dpt_ops"],
    ["dpt_late", "dpt_night"],
    ["dpt_pay", null],
  ]);
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.#random(list.length)]!;
  }

  /** The id of a worker who is stored, was stored, or never was. */
  anyWorker(): string {
    return `wrk_${this.#random(WORKER_IDS)}`;
  }

  anyRequest(): string {
    return `tor_${this.#random(REQUEST_IDS)}`;
  }

  storedWorker(): string {
    return this.pick([...this.people.keys()]);
  }

  /** The workers whom a key with this access may read: docs/security.md, "Keys". */
  visibleTo({
    workers,
    departments,
    managers,
  }: Pick<KeyAccess, "workers" | "departments" | "managers">): Set<string> {
    const visible = new Set(workers);
    for (const [id, { department }] of this.people)
      if (this.#above(department).some((above) => departments.includes(above))) visible.add(id);
    for (const manager of managers) for (const id of this.team(manager)) visible.add(id);
    return visible;
  }

  /** A manager and everybody below them; in a ring of managers nobody is below another. */
  team(manager: string): string[] {
    if (this.#managersOf(manager).includes(manager)) return [manager];
    const below = [...this.people.keys()].filter((id) => this.#managersOf(id).includes(manager));
    return [manager, ...below];
  }

  /** The department and those above it. */
  #above(department: string | null): string[] {
    const chain: string[] = [];
    for (let at = department; at !== null && !chain.includes(at); at = this.parents.get(at) ?? null)
      chain.push(at);
    return chain;
  }

  /** A worker's manager, the manager of that one, …; without a worker who is their own manager. */
  #managersOf(id: string): string[] {
    const chain: string[] = [];
    let below = id;
    for (let at = this.#managerOf(id); at !== null && at !== below && !chain.includes(at); ) {
      chain.push(at);
      below = at;
      at = this.#managerOf(at);
    }
    return chain;
  }

  #managerOf(id: string): string | null {
    return this.people.get(id)?.manager ?? null;
  }

  async storeFirstNight(transaction: ImportTransaction, today: number): Promise<void> {
    await transaction.put(
      "departments",
      DEPARTMENTS.map((id) =>
        departmentRow(id, { name: DEPARTMENT_NAMES[id], parentId: this.parents.get(id)! }),
      ),
    );
    await transaction.put(
      "policies",
      POLICIES.map((id) => policyRow(id, { name: id })),
    );
    for (let at = 0; at < 40; at++) await this.#storeWorker(transaction, `wrk_${at}`);
    for (let at = 0; at < 90; at++) await this.#changeRequest(transaction, today);
  }

  async storeNextNight(transaction: ImportTransaction, today: number): Promise<void> {
    if (this.#random(3) === 0) {
      const parentId = this.pick([null, "dpt_ops", "dpt_pay"]);
      this.parents.set("dpt_late", parentId);
      await transaction.put("departments", [departmentRow("dpt_late", { name: "Late", parentId })]);
    }
    for (let at = 0; at < 8; at++) {
      const id = this.anyWorker();
      if (this.people.has(id) && this.#random(5) === 0) await this.#removeWorker(transaction, id);
      else await this.#storeWorker(transaction, id);
    }
    for (let at = 0; at < 20; at++) await this.#changeRequest(transaction, today);
  }

  async #storeWorker(transaction: ImportTransaction, id: string): Promise<void> {
    const before = this.people.get(id);
    const others = [...this.people.keys()];
    const anyManager = this.#random(5) === 0 || others.length === 0 ? null : this.pick([id, ...others]);
    const anyDepartment = this.pick([null, ...DEPARTMENTS]);
    this.people.set(id, {
      manager: before !== undefined && this.#random(2) === 0 ? before.manager : anyManager,
      department: before !== undefined && this.#random(2) === 0 ? before.department : anyDepartment,
      status: this.pick(["active", "active", "active", "inactive"]),
    });
    await transaction.put("workers", [this.#rowOf(id)]);
    if (before !== undefined) return;
    await transaction.put(
      "assignments",
      POLICIES.map((policy) => assignmentRow(`asg_${id}_${policy}`, id, policy)),
    );
    await transaction.put("adjustments", [
      adjustmentRow(`toa_${id}`, id, "top_pto", { minutes: 60 * (1 + this.#random(9)) }),
    ]);
  }

  #rowOf(id: string) {
    const { manager, department, status } = this.people.get(id)!;
    return workerRow(id, {
      displayName: `name of ${id}`,
      firstName: id,
      lastName: "",
      workEmail: `${id}@acme.example`,
      legacyId: `L-${id}`,
      managerId: manager,
      manager:
        manager === null
          ? null
          : { id: manager, firstName: manager, lastName: "", displayName: `name of ${manager}` },
      department:
        department === null
          ? null
          : { id: department, name: DEPARTMENT_NAMES[department as keyof typeof DEPARTMENT_NAMES] },
      status,
    });
  }

  async #removeWorker(transaction: ImportTransaction, id: string): Promise<void> {
    for (const policy of POLICIES) await transaction.remove("assignments", [[id, policy]]);
    await transaction.remove("adjustments", [[`toa_${id}`]]);
    for (const [requestId, { workerId }] of this.leave)
      if (workerId === id) await this.#removeRequest(transaction, requestId);
    await transaction.remove("workers", [[id]]);
    this.people.delete(id);
    for (const [otherId, other] of this.people)
      if (other.manager === id) {
        other.manager = null;
        await transaction.put("workers", [this.#rowOf(otherId)]);
      }
  }

  async #removeRequest(transaction: ImportTransaction, id: string): Promise<void> {
    await transaction.remove("requests", [[id]]);
    this.leave.delete(id);
  }

  /** A new request, or one that changes, moves to another worker, or is removed. */
  async #changeRequest(transaction: ImportTransaction, today: number): Promise<void> {
    const id = this.anyRequest();
    if (this.leave.has(id) && this.#random(5) === 0) return this.#removeRequest(transaction, id);
    const leave: Leave = {
      workerId: this.storedWorker(),
      policyId: this.pick(POLICIES),
      day: today - 20 + this.#random(60),
      status: this.pick(["approved", "approved", "pending", "denied"]),
    };
    this.leave.set(id, leave);
    await transaction.put("requests", [
      requestRow(id, leave.workerId, leave.policyId, {
        startAt: `${formatDay(leave.day)}T00:00:00.000Z`,
        endAt: `${formatDay(leave.day + 1)}T00:00:00.000Z`,
        status: leave.status,
        reason: `reason ${this.#random(999)}`,
        requestedMinutes: 60 * (1 + this.#random(8)),
      }),
    ]);
  }
}
