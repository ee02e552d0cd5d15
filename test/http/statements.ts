// Records the statements that a store runs for a request: the text of each, and how many rows it returned.
import { Database } from "bun:sqlite";
import pg from "pg";

export interface Statement {
  readonly text: string;
  readonly rows: number;
}

type Method = (...values: unknown[]) => unknown;

let recorded: Statement[] | null = null;

const note = (text: string, rows: unknown) =>
  recorded?.push({ text, rows: Array.isArray(rows) ? rows.length : 0 });

/** Records every statement of either engine, until the returned function is called. */
export function recordStatements(): () => void {
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
    const response = (query as Method).apply(this, given);
    const text = typeof given[0] === "string" ? given[0] : (given[0] as { text?: string }).text;
    if (response instanceof Promise)
      void response.then(
        ({ rows }: pg.QueryResult) => note(text ?? "", rows),
        () => {}, // its caller's to handle
      );
    return response;
  } as never; // likewise
  return () => {
    Database.prototype.prepare = prepare;
    pg.Client.prototype.query = query;
  };
}

/** The statements that ran during `work`. */
async function allStatementsDuring(work: () => Promise<unknown>): Promise<readonly Statement[]> {
  const found: Statement[] = [];
  recorded = found;
  await work();
  await Bun.sleep(0); // notes of the last statement
  recorded = null;
  return found;
}

/** The same, except those that refresh keys and versions, which depend on the time alone. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<readonly Statement[]> {
  return (await allStatementsDuring(work)).filter(
    ({ text }) => !/\bkeys\b|^(pragma user_version|select version from companies)/.test(text),
  );
}
