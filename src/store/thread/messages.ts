// What the thread of an import and its starter say to each other.
import type { ImportOutcome, ImportTransaction, Remains, RowDigests } from "../store.ts";
import type { FactKind } from "../tables.ts";
import type { PackedRows } from "./packed-rows.ts";

type Answered<T> = {
  [M in keyof T & string]: T[M] extends (...args: never) => Promise<unknown> ? M : never;
}[keyof T & string];
type Streamed<T> = {
  [M in keyof T & string]: T[M] extends (...args: never) => AsyncIterable<unknown> ? M : never;
}[keyof T & string];

/** What is asked of a transaction and answered; `put` has a message of its own. */
export type CallName = Exclude<Answered<ImportTransaction>, "put"> | `digests.${Answered<RowDigests>}`;
export type StreamName = Streamed<ImportTransaction> | `digests.${Streamed<RowDigests>}`;

/** How an import ends; null if it is given up. */
export type Ending = Omit<ImportOutcome<unknown>, "result"> | null;

export type ToThread =
  | { readonly type: "begin"; readonly address: string; readonly companyId: string }
  | { readonly type: "put"; readonly packed: PackedRows }
  /** `isUrgent`: rows that were sent before need not be put before this is answered. */
  | {
      readonly type: "call";
      readonly id: number;
      readonly name: CallName;
      readonly args: readonly unknown[];
      readonly isUrgent: boolean;
    }
  /** As a call that nobody waits for. */
  | { readonly type: "do"; readonly name: CallName; readonly args: readonly unknown[] }
  | {
      readonly type: "stream";
      readonly id: number;
      readonly name: StreamName;
      readonly args: readonly unknown[];
    }
  | { readonly type: "next"; readonly id: number; readonly stream: number; readonly isLast: boolean }
  | { readonly type: "end"; readonly ending: Ending };

/** An error without its class. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Of errors of a store. */
  readonly problem?: string;
  readonly advice?: string | null;
}

export type FromThread =
  | { readonly type: "waiting" }
  | { readonly type: "begun"; readonly emptyKinds: readonly FactKind[] }
  | { readonly type: "has put"; readonly kind: FactKind; readonly bytes: number }
  | { readonly type: "reply"; readonly id: number; readonly value: unknown }
  /** Something that the transaction was asked for failed. What it was is told at the end. */
  | { readonly type: "failed" }
  | { readonly type: "ended"; readonly error: SentError | null; readonly remains: Remains | null };
