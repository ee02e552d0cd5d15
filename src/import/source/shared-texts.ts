// The texts that the cells of a workbook share, by number: in memory while they are few, then in a temporary database.
import { Database, type Statement } from "bun:sqlite";

const MAX_CHARACTERS_IN_MEMORY = 8 * 1024 * 1024;
const CACHE_KIB = 16 * 1024;

export class SharedTexts {
  readonly #first: string[] = [];
  #characters = 0;
  #count = 0;
  #more: { database: Database; insert: Statement; select: Statement } | null = null;

  add(stored: string): void {
    const text = unescaped(stored);
    const number = this.#count++;
    // An empty text takes memory, too.
    this.#characters += text.length + 16;
    if (this.#characters <= MAX_CHARACTERS_IN_MEMORY) this.#first.push(text);
    else {
      this.#more ??= moreTexts();
      this.#more.insert.run(number, text);
    }
  }

  get(number: number): string | null {
    const text = this.#first[number];
    if (text !== undefined || this.#more === null) return text ?? null;
    const found = this.#more.select.get(number) as { text: string } | null; // the selection
    return found?.text ?? null;
  }

  close(): void {
    this.#more?.insert.finalize();
    this.#more?.select.finalize();
    this.#more?.database.close();
  }
}

function moreTexts() {
  // An attached database without a name is SQLite's temporary file, gone when it is closed.
  const database = new Database(":memory:");
  database.run("attach '' as texts");
  database.run("pragma texts.journal_mode = off");
  database.run(`pragma texts.cache_size = -${CACHE_KIB}`);
  database.run("create table texts.shared (number integer primary key, text text)");
  database.run("begin");
  return {
    database,
    insert: database.prepare("insert into shared values (?, ?)"),
    select: database.prepare("select text from shared where number = ?"),
  };
}

/** Characters that XML cannot hold are written `_x000D_`. */
export function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
