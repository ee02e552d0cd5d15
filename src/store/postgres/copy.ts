// Rows on their way into a table, by COPY: while the server stores some, the next are made.
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { mapError } from "./connection/errors.ts";

/** Of rows that the server has not taken yet. It may be busy with what was asked before. */
const PENDING_BYTES = 4_000_000;

/** One COPY, from the first rows to its end. Nothing else may be asked of the connection in between. */
export class RowStream {
  readonly #stream: ReturnType<typeof copyFrom>;
  /** Resolves when the server has stored everything, or refused something. */
  readonly #ended: Promise<void>;
  #error: Error | null = null;
  #pendingBytes = 0;
  #room = Promise.withResolvers<void>();

  /** `statement`: from `copyStatement`. */
  constructor(client: pg.PoolClient, serverName: string, statement: string) {
    this.#stream = client.query(copyFrom(statement));
    this.#ended = new Promise((resolve) => {
      this.#stream.once("finish", () => resolve());
      this.#stream.on("error", (error) => {
        this.#error ??= mapError(error, serverName) as Error; // what the driver raises
        resolve();
      });
    });
  }

  /** Sends rows, as `copyText` writes them. Waits while too many are pending. Raises the error of any rows so far. */
  async write(text: string): Promise<void> {
    if (this.#error !== null) throw this.#error;
    const rows = Buffer.from(text);
    this.#pendingBytes += rows.length;
    this.#stream.write(rows, () => {
      this.#pendingBytes -= rows.length;
      this.#room.resolve();
    });
    // What the socket did not take at once is sent by the event loop, which promises alone do not reach.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#pendingBytes > PENDING_BYTES && this.#error === null) {
      this.#room = Promise.withResolvers();
      await Promise.race([this.#room.promise, this.#ended]);
    }
    if (this.#error !== null) throw this.#error;
  }

  /** Waits until all rows are stored. Raises the error of any of them. */
  async end(): Promise<void> {
    if (this.#error === null) this.#stream.end();
    await this.#ended;
    if (this.#error !== null) throw this.#error;
  }
}
