// What a store is asked while a request is answered: the text of each statement, and how many rows it gave.
import { Database } from "bun:sqlite";
import pg from "pg";

export interface Asked {
  readonly text: string;
  readonly rows: number;
}

type Method = (...values: unknown[]) => unknown;

let asked: Asked[] | null = null;

const note = (text: string, rows: unknown) =>
  asked?.push({ text, rows: Array.isArray(rows) ? rows.length : 0 });

/** Listens from now on to every statement of either engine, until the function that it gives is called. */
export function listenToStatements(): () => void {
  const { prepare } = Database.prototype;
  const { query } = pg.Client.prototype;
  Database.prototype.prepare = function (this: Database, text: string, ...rest: never[]) {
    const statement = prepare.call(this, text, ...rest) as unknown as Record<string, Method>; // by its methods' names
    for (const name of ["all", "values", "get", "run"]) {
      const method = statement[name]!;
      statement[name] = (...values) => {
        const rows = method.apply(statement, values);
        note(text, rows);
        return rows;
      };
    }
    return statement;
  } as never; // the same parameters and statement
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const answer = (query as Method).apply(this, given);
    const text = typeof given[0] === "string" ? given[0] : (given[0] as { text?: string }).text;
    if (answer instanceof Promise)
      void answer.then(
        ({ rows }: pg.QueryResult) => note(text ?? "", rows),
        () => {}, // its caller's to handle
      );
    return answer;
  } as never; // likewise
  return () => {
    Database.prototype.prepare = prepare;
    pg.Client.prototype.query = query;
  };
}

/** What was asked while `work` went on, but for what keeps keys and versions fresh, which depends on the time alone. */
export async function askedDuring(work: () => Promise<unknown>): Promise<readonly Asked[]> {
  asked = [];
  await work();
  await Bun.sleep(0); // notes of the last statement
  const found = asked.filter(({ text }) => !/\bkeys\b|data_version/.test(text));
  asked = null;
  return found;
}
