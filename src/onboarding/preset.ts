// Presets: what Rollcall knows of one system (docs/presets.md). Each is a folder in `presets`.
import type { JsonObject } from "../json-file.ts";
import { DAY_MS } from "../time/day.ts";

export interface Preset {
  readonly name: string;
  /** The system's name. */
  readonly system: string;
  /** The files that it reads, in words. */
  readonly files: string;
  /** The version of the system's API; null if it has none. */
  readonly version: string | null;
  /** When it was last compared with the system's documents, YYYY-MM-DD. */
  readonly checkedOn: string;
  /** What is known to differ from the system or was never tried; null if a fake API made from its documents works completely. */
  readonly untried: string | null;
  /** null if its files are saved by hand. */
  readonly pull: JsonObject | null;
  readonly mapping: JsonObject;
}

/** Days since it was checked. */
export function checkedDaysAgo({ checkedOn }: Preset, nowMs: number): number {
  return Math.floor((nowMs - Date.parse(checkedOn)) / DAY_MS);
}

interface PresetFolder extends Preset {
  /** The `.sql` files beside the mapping, by their names without the ending. */
  readonly queries: Readonly<Record<string, string>>;
}

/** The preset of a folder, with the queries filled into its mapping. Throws an Error if the folder lacks a file. */
export function preset({ queries, mapping, ...about }: PresetFolder): Preset {
  const sources = Object.entries(mapping).map(([kind, source]) => {
    if (kind === "tables") return [kind, withColumns(source as Tables, about.pull)];
    const file = (source as { query?: { file: string } }).query?.file; // a preset has one source for each kind
    if (file === undefined) return [kind, source];
    const query = queries[file.replace(/\.sql$/, "")];
    if (query === undefined) throw new Error(`the preset ${about.name} has no ${file}`);
    return [kind, { ...(source as object), query }];
  });
  return { ...about, mapping: Object.fromEntries(sources) };
}

type Table = { readonly from: string | readonly string[]; readonly columns?: readonly string[] };
type Tables = Readonly<Record<string, string | Table>>;
type PulledRows = { readonly keep?: readonly string[]; readonly add?: object };

/** Adds the columns that a pull writes: an empty list has none of its own, and an API omits what the key may not see. */
function withColumns(tables: Tables, pull: JsonObject | null): Tables {
  const files = Object.entries((pull?.files ?? {}) as Readonly<Record<string, PulledRows>>); // checked by the schema of pull files
  return Object.fromEntries(
    Object.entries(tables).map(([name, given]) => {
      const table: Table = typeof given === "string" ? { from: given } : given;
      const patterns = [table.from].flat().map((pattern) => new Bun.Glob(pattern));
      const pulled = files.filter(([file]) => patterns.some((pattern) => pattern.match(file)));
      const kept = pulled.flatMap(([, { keep = [], add = {} }]) => [
        ...keep.map((path) => path.split(".")[0]!),
        ...Object.keys(add),
      ]);
      const columns = [...new Set([...(table.columns ?? []), ...kept])];
      return [name, columns.length === 0 ? given : { ...table, columns }];
    }),
  );
}
