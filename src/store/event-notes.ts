// What an import notes for hooks, the same on every engine: one event an object, from what was stored before and what is now. `ChangeNotes`
// tells it of every row, and it keeps nothing of a person but the id.
import sql, { join } from "sql-template-tag";
import type { EventType } from "../resources/events.ts";
import type { Kind } from "../resources/kinds.ts";
import { formatDay } from "../time/day.ts";
import { lastNumber } from "./hooks.ts";
import type { Execute, NotedRow } from "./tables.ts";

/** What an object was before the import: null if it was not stored. */
type Before = { readonly status: string } | null;

interface Pending {
  readonly before: Before;
  readonly type: EventType;
  readonly ids: Readonly<Record<string, string>>;
}

/** The most that one statement writes. */
const WRITE_MAX = 500;

export class EventNotes {
  readonly #execute: Execute;
  readonly #companyId: string;
  readonly #atMs: number;
  #number: number;
  /** By kind and id, in the order in which they came. */
  readonly #pending = new Map<string, Pending>();

  private constructor(execute: Execute, companyId: string, number: number, atMs: number) {
    this.#execute = execute;
    this.#companyId = companyId;
    this.#number = number;
    this.#atMs = atMs;
  }

  /** Null where the company has no hooks. `execute` runs in the import's transaction. */
  static async begin(
    execute: Execute,
    readHooks: Execute,
    companyId: string,
    nowMs: number,
  ): Promise<EventNotes | null> {
    const { number, hasHooks } = await lastNumber(execute, readHooks, companyId);
    return hasHooks ? new EventNotes(execute, companyId, number, nowMs) : null;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** A row is added, or replaces `before`. */
  put(kind: Kind, before: NotedRow | null, after: NotedRow): void {
    if (kind !== "workers" && kind !== "requests" && kind !== "adjustments") return;
    const isSame =
      kind === "adjustments"
        ? before !== null &&
          ["workerId", "policyId", "day", "minutes"].every((key) => before[key] === after[key])
        : before?.doc === after.doc;
    if (isSame) return;
    const key = `${kind} ${after.id}`;
    const pending = this.#pending.get(key);
    const was = pending === undefined ? statusOf(kind, before) : pending.before;
    this.#pending.set(key, { before: was, type: typeOf(kind, was, after), ids: idsOf(kind, after) });
  }

  removed(kind: Kind, row: NotedRow): void {
    if (kind !== "workers" && kind !== "requests" && kind !== "adjustments") return;
    const key = `${kind} ${row.id}`;
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    if (pending !== undefined && pending.before === null) return; // this import has added it
    const type = {
      workers: "worker.deleted",
      requests: "time_off.request.deleted",
      adjustments: ADJUSTED,
    } as const;
    this.#pending.set(key, { before: statusOf(kind, row), type: type[kind], ids: idsOf(kind, row) });
  }

  /** Writes what is pending. */
  async write(): Promise<void> {
    const events = [...this.#pending.values()];
    this.#pending.clear();
    for (let at = 0; at < events.length; at += WRITE_MAX) {
      const values = events
        .slice(at, at + WRITE_MAX)
        .map(
          ({ type, ids }) =>
            sql`(${this.#companyId}, ${++this.#number}, ${type}, ${JSON.stringify(ids)}, ${this.#atMs})`,
        );
      await this.#execute(
        sql`insert into events (company_id, number, type, ids, at_ms) values ${join(values)}`,
      );
    }
  }
}

const ADJUSTED = "time_off.balance.adjusted";

type EventKind = "workers" | "requests" | "adjustments";

function statusOf(kind: EventKind, row: NotedRow | null): Before {
  if (row === null) return null;
  if (kind !== "workers") return { status: String(row.status) };
  return JSON.parse(row.doc as string) as { status: string }; // a stored worker
}

function typeOf(kind: EventKind, before: Before, after: NotedRow): EventType {
  if (kind === "adjustments") return ADJUSTED;
  if (kind === "requests") {
    if (before === null) return "time_off.request.created";
    return before.status === after.status ? "time_off.request.updated" : "time_off.request.reviewed";
  }
  if (before === null) return "worker.created";
  const [was, is] = [before.status, String(after.status)].map((status) => status === "inactive");
  if (was === is) return "worker.updated";
  return is ? "worker.offboarded" : "worker.reactivated";
}

function idsOf(kind: EventKind, row: NotedRow): Pending["ids"] {
  if (kind === "workers") return { workerId: String(row.id) };
  const ids = { workerId: String(row.workerId), policyId: String(row.policyId) };
  return kind === "requests"
    ? { requestId: String(row.id), ...ids }
    : { ...ids, date: formatDay(Number(row.day)) };
}
