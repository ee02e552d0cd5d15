// Backups as Rollcall 1.0 wrote them: a copy of the embedded store's tables, with a digest over them table by table.
import { Database } from "bun:sqlite";
import { type ContentsSummary, readThrough } from "../../transfer/contents.ts";
import { contentsOf } from "../contents.ts";
import { mapError, type Statements } from "../database.ts";
import { KEYS_MIGRATIONS, MIGRATIONS } from "../schema.ts";

const FORMAT = 1;

const DESCRIPTION_TABLE =
  "create table backup (made_at_ms integer not null, store_version integer not null, keys_version integer not null, digest text not null) strict";

interface SchemaVersions {
  readonly storeVersion: number;
  readonly keysVersion: number;
}

interface Description extends SchemaVersions {
  readonly madeAtMs: number;
  readonly digest: string;
}

/** Reads the backup through. "newer" for one of a schema that is not known here, "edited" where it is not as it was written. */
export async function verifyFormat1(
  statements: Statements,
): Promise<(ContentsSummary & { readonly madeAtMs: number }) | "newer" | "edited"> {
  const { database } = statements;
  const about = database
    .query<Description, []>(
      `select made_at_ms as "madeAtMs", store_version as "storeVersion", keys_version as "keysVersion", digest from backup`,
    )
    .all();
  const [description] = about;
  if (description === undefined || about.length > 1) return "edited";
  const { storeVersion, keysVersion, madeAtMs, digest } = description;
  if (storeVersion > MIGRATIONS.length || keysVersion > KEYS_MIGRATIONS.length) return "newer";
  if (schemaText(database) !== expectedSchemaText(description)) return "edited";
  if (digestOf(database, description) !== digest) return "edited";
  return { madeAtMs, ...(await readThrough(contentsOf(statements, { failure: (error) => error }))), digest };
}

/** Makes a backup's tables in an empty database. */
export function makeFormat1Tables(database: Database, versions: SchemaVersions): void {
  const migrations = [
    ...MIGRATIONS.slice(0, versions.storeVersion),
    ...KEYS_MIGRATIONS.slice(0, versions.keysVersion),
  ];
  for (const migration of migrations) database.run(migration);
  const derived = database.query<{ type: string; name: string }, []>(
    "select type, name from sqlite_schema where type in ('index', 'trigger') and sql is not null",
  );
  for (const { type, name } of derived.all()) database.run(`drop ${type} ${name}`);
  database.run(DESCRIPTION_TABLE);
}

interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key, in order. */
  readonly key: readonly string[];
}

/** Every table that holds rows of people or keys. */
export function tablesOf(database: Database): TableShape[] {
  return database
    .query<{ name: string }, []>(
      "select name from sqlite_schema where type = 'table' and name not in ('backup') and name not like 'sqlite_%' order by name",
    )
    .all()
    .map(({ name }) => {
      const columns = database
        .query<{ name: string; pk: number }, [string]>(
          "select name, pk from pragma_table_info(?) order by cid",
        )
        .all(name);
      const key = columns.filter(({ pk }) => pk > 0).sort((left, right) => left.pk - right.pk);
      return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) };
    });
}

/** The digest over all rows in key order; flat in memory. */
export function digestOf(database: Database, about: SchemaVersions & { readonly madeAtMs: number }): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const line = (value: unknown) => hasher.update(`${JSON.stringify(value)}\n`);
  line([FORMAT, about.madeAtMs, about.storeVersion, about.keysVersion]);
  for (const table of tablesOf(database)) {
    line([table.name, table.columns]);
    const select = database.prepare(
      `select ${table.columns.join(", ")} from ${table.name} order by ${table.key.join(", ")}`,
    );
    for (const row of select.iterate()) line(Object.values(row as object)); // the columns, in the order of the selection
    select.finalize();
  }
  return hasher.digest("hex");
}

/** Everything that the file defines. A backup has our tables and nothing else: no trigger, no view. */
function schemaText(database: Database): string {
  const query = "select type, name, tbl_name, sql from sqlite_schema order by type, name";
  return JSON.stringify(database.query(query).values());
}

function expectedSchemaText(versions: SchemaVersions): string {
  const database = new Database(":memory:");
  try {
    mapError(":memory:", () => makeFormat1Tables(database, versions));
    return schemaText(database);
  } finally {
    database.close();
  }
}
