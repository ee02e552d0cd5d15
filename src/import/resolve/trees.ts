// Kinds whose rows belong to each other, as departments do: a file may have a row before the one that it belongs to. There are few of
// them, so all are held, and loaded from the top down.
import { type ImportRows, type Kind, PARENT_COLUMNS, type Rows } from "../../resources/kinds.ts";
import type { BadRecord, ImportRowBatch, LocatedRow } from "../read/import-rows.ts";
import { shown } from "../row-errors.ts";
import { mintedId } from "./identity.ts";

/** A batch, and which of the import's sources it is of. */
export type FileBatch<K extends Kind> = readonly [sourceAt: number, batch: ImportRowBatch<K>];

interface Node<K extends Kind> {
  readonly sourceAt: number;
  readonly located: LocatedRow<K>;
  readonly parent: string | null;
  /** What a row below it may call it. */
  readonly names: readonly string[];
}

const ofTree = (kind: Kind) => PARENT_COLUMNS.find((one) => one.kind === kind && one.parent === kind)!;

/** The same rows in other batches: each after the row of these files that it belongs to. A row of a circle is bad. */
export function parentsFirst<K extends Kind>(
  kind: K,
  companyId: string,
  batches: readonly FileBatch<K>[],
): FileBatch<K>[] {
  const { field } = ofTree(kind);
  let left = batches.flatMap(([sourceAt, { importRows }]) =>
    importRows.map((located): Node<K> => {
      const row = located.importRow as ImportRows[K] & { id: string | null; legacyId: string | null }; // of such kinds
      const parent = (row as Readonly<Record<string, unknown>>)[field] as string | null; // a reference
      const minted = row.legacyId === null ? null : mintedId(companyId, kind, row.legacyId);
      return {
        sourceAt,
        located,
        parent,
        names: [row.id, row.legacyId, minted].filter((name) => name !== null),
      };
    }),
  );
  const ordered = batches.map(([sourceAt, batch]): FileBatch<K> => [sourceAt, { ...batch, importRows: [] }]);
  while (left.length > 0) {
    const names = new Set(left.flatMap((node) => node.names));
    const isBelow = ({ parent }: Node<K>) => parent !== null && names.has(parent);
    const top = left.filter((node) => !isBelow(node));
    for (const [sourceAt, some] of Map.groupBy(top, (node) => node.sourceAt))
      ordered.push([
        sourceAt,
        alone(
          some.map(({ located }) => located),
          [],
        ),
      ]);
    if (top.length === 0)
      for (const node of left) ordered.push([node.sourceAt, alone([], [circular(node, field)])]);
    left = top.length === 0 ? [] : left.filter(isBelow);
  }
  return ordered;
}

function circular<K extends Kind>({ located, parent }: Node<K>, field: string): BadRecord {
  const message = "belongs to this row itself, or to one below it";
  return { ...located, problems: [{ field, value: shown(parent), message }] };
}

function alone<K extends Kind>(
  importRows: readonly LocatedRow<K>[],
  bad: readonly BadRecord[],
): ImportRowBatch<K> {
  return { importRows, bad, unchanged: 0, records: 0 };
}

/** A stored row that belongs to itself, or to one below it; null where there is none. */
export async function circleIn<K extends Kind>(
  kind: K,
  stored: AsyncIterable<readonly Rows[K][]>,
): Promise<string | null> {
  const { column } = ofTree(kind);
  const parents = new Map<string, string | null>();
  for await (const rows of stored)
    for (const row of rows as readonly unknown[] as readonly Record<string, string | null>[])
      parents.set(row.id!, row[column]!); // ids and references are such columns
  const sound = new Set<string>();
  for (const id of parents.keys()) {
    const path = new Set<string>();
    for (let at: string | null | undefined = id; at != null && !sound.has(at); at = parents.get(at)) {
      if (path.has(at)) return at;
      path.add(at);
    }
    for (const one of path) sound.add(one);
  }
  return null;
}
