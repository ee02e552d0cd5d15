// Rows on their way into a table, by COPY: while the server stores some, the next are made.
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { mapError } from "./connection/errors.ts";

type Ended = Error | null;

/** One COPY, from the first rows to its end. Nothing else may be asked of the connection in between. */
export class RowStream {
  readonly #stream: ReturnType<typeof copyFrom>;
  /** Resolves when the server has stored everything, or refused something. */
  readonly #ended: Promise<Ended>;
  #error: Ended = null;
  /** The last rows: they are on their way once this resolves. */
  #sent: Promise<void> = Promise.resolve();

  /** `statement`: from `copyStatement`. */
  constructor(client: pg.PoolClient, serverName: string, statement: string) {
    this.#stream = client.query(copyFrom(statement));
    this.#ended = new Promise((resolve) => {
      this.#stream.once("finish", () => resolve(null));
      this.#stream.on("error", (error) => {
        this.#error ??= mapError(error, serverName) as Error; // what the driver raises
        resolve(this.#error);
      });
    });
  }

  /**
   * Sends rows, as `copyText` writes them. Waits while the server is behind, by more than the rows before. Raises the error of
   * any rows before.
   */
  async write(text: string): Promise<void> {
    await Promise.race([this.#sent, this.#ended]);
    if (this.#error !== null) throw this.#error;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#stream.write(text, () => resolve());
    this.#sent = promise;
    // What the socket did not take at once is sent by the event loop, which promises alone do not reach.
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Waits until all rows are stored. Raises the error of any of them. */
  async end(): Promise<void> {
    if (this.#error === null) this.#stream.end();
    const error = await this.#ended;
    if (error !== null) throw error;
  }
}
