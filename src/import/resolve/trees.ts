// Kinds whose rows belong to each other, as departments do: a file may have a row before the one that it belongs to. There are few of
// them, so all are held, and loaded from the top down.
import { type ImportRows, type Kind, PARENT_COLUMNS, type Rows } from "../../resources/kinds.ts";
import { shown } from "../row-errors.ts";
import type { BadRecord, ImportRowBatch, LocatedRow } from "../source/import-rows.ts";
import { mintedId } from "./identity.ts";

/** A batch, and the number of its file. */
export type FileBatch<K extends Kind> = readonly [file: number, batch: ImportRowBatch<K>];

interface Node<K extends Kind> {
  readonly file: number;
  readonly located: LocatedRow<K>;
  readonly parent: string | null;
  depth: number | null;
}

const ofTree = (kind: Kind) => PARENT_COLUMNS.find((one) => one.kind === kind && one.parent === kind)!;

/** The same rows in other batches: each after the row of these files that it belongs to. A row of a circle is bad. */
export function parentsFirst<K extends Kind>(
  kind: K,
  companyId: string,
  batches: readonly FileBatch<K>[],
): FileBatch<K>[] {
  const { field } = ofTree(kind);
  const nodes: Node<K>[] = [];
  const byName = new Map<string, Node<K>>();
  for (const [file, { importRows }] of batches) {
    for (const located of importRows) {
      const row = located.importRow as ImportRows[K] & { id: string | null; legacyId: string | null }; // of such kinds
      const parent = (row as Readonly<Record<string, unknown>>)[field] as string | null; // a reference
      const node: Node<K> = { file, located, parent, depth: null };
      nodes.push(node);
      for (const name of [row.id, row.legacyId, row.legacyId && mintedId(companyId, kind, row.legacyId)])
        if (name !== null && !byName.has(name)) byName.set(name, node);
    }
  }
  const rest = batches.map(([file, batch]): FileBatch<K> => [file, { ...batch, importRows: [] }]);
  for (const node of nodes)
    if (!setDepth(node, byName)) rest.push([node.file, alone([], [circular(node, field)])]);
  const placed = nodes.filter(({ depth }) => depth !== null).toSorted((a, b) => a.depth! - b.depth!);
  const byPlace = Map.groupBy(placed, ({ depth, file }) => `${depth} ${file}`);
  const ordered = [...byPlace.values()].map((some): FileBatch<K> => {
    const importRows = some.map(({ located }) => located);
    return [some[0]!.file, alone(importRows, [])];
  });
  return [...rest, ...ordered];
}

/** Sets how many rows of these files are above the row, and above those. False in a circle. */
function setDepth<K extends Kind>(node: Node<K>, byName: ReadonlyMap<string, Node<K>>): boolean {
  const path: Node<K>[] = [];
  const seen = new Set<Node<K>>();
  for (let at: Node<K> | undefined = node; at !== undefined && at.depth === null; ) {
    if (seen.has(at)) return false;
    seen.add(at);
    path.push(at);
    at = at.parent === null ? undefined : byName.get(at.parent);
  }
  for (const one of path.reverse()) {
    const above = one.parent === null ? undefined : byName.get(one.parent);
    one.depth = above === undefined ? 0 : above.depth! + 1; // set before: the path goes up
  }
  return true;
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
