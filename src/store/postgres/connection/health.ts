// Whether a server is worth asking. One that failed is left out until it answers again, which is tried in the background.
import sql from "sql-template-tag";
import type { PostgresDatabase } from "./database.ts";

/** How often a server that failed is tried. */
const PROBE_EVERY_MS = 500;

export class Health {
  readonly #database: PostgresDatabase;
  #up = true;
  #closed = false;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  get up(): boolean {
    return this.#up;
  }

  failed(): void {
    if (!this.#up) return;
    this.#up = false;
    void this.#probe();
  }

  async #probe(): Promise<void> {
    while (!this.#up && !this.#closed) {
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS).unref());
      this.#up = await this.#database.read(sql`select 1`).then(
        () => true,
        () => false,
      );
    }
  }

  close(): void {
    this.#closed = true;
  }
}
