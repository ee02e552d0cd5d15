// What SQLite leaves in the unused parts of its pages. With `secure_delete` it overwrites rows that it removes and pages that it frees.
// But when it distributes entries anew over neighbouring pages, it writes a page's entries from the end, and does not overwrite what was
// there in the gap before them. https://www.sqlite.org/fileformat2.html, "B-tree Pages"
import { Buffer } from "node:buffer";

const FILE_HEADER_BYTES = 100;

const LARGEST_PAGE_BYTES = 65_536;
/** As many as a page has bytes, at most. */
export const ZEROS: Readonly<Buffer> = Buffer.alloc(LARGEST_PAGE_BYTES);

/** Bytes of a page's header, by the type of the page. Other pages belong to no tree: they hold the rest of long rows, or nothing. */
const HEADER_BYTES: Readonly<Record<number, number>> = { 2: 12, 5: 12, 10: 8, 13: 8 };

/** From here on, the first byte of a page that belongs to no tree may be that of a type. */
export const PAGES_MAX = 0x0200_0000;

/** Bytes of a page, from `from` to before `to`. */
export interface Residue {
  readonly from: number;
  readonly to: number;
}

/**
 * The unused parts of a page that hold something. None of a page that belongs to no tree, or that is damaged. `isFirst`: page 1, which
 * begins with the file's header.
 */
export function residuesOf(page: Buffer, isFirst: boolean): readonly Residue[] {
  const base = isFirst ? FILE_HEADER_BYTES : 0;
  const header = HEADER_BYTES[page[base]!];
  if (header === undefined) return [];
  const pointers = base + header;
  const gap = {
    from: pointers + wholeAt(page, base + 3) * 2,
    to: wholeAt(page, base + 5) || LARGEST_PAGE_BYTES,
  };
  if (gap.from > gap.to || gap.to > page.length) return [];
  const found = isZero(page, { from: afterPointers(page, gap), to: gap.to }) ? [] : [gap];
  for (let at = wholeAt(page, base + 1), before = gap.to - 1; at !== 0; ) {
    if (at <= before || at + 4 > page.length) return [];
    const block = { from: at + 4, to: at + wholeAt(page, at + 2) };
    if (block.to < block.from || block.to > page.length) return [];
    if (!isZero(page, block)) found.push(block);
    before = at;
    at = wholeAt(page, at);
  }
  return found.length === 0 || areApart(page, pointers, gap, found) ? found : [];
}

/** Whether no entry begins in a part that is unused. */
function areApart(page: Buffer, pointers: number, gap: Residue, unused: readonly Residue[]): boolean {
  const end = page.length;
  const hasBlocks = unused.length > 1 || unused[0] !== gap;
  for (let at = pointers; at < gap.from; at += 2) {
    const entry = wholeAt(page, at);
    if (entry < gap.to || entry >= end) return false;
    if (hasBlocks && unused.some(({ from, to }) => entry >= from && entry < to)) return false;
  }
  return true;
}

/** Two bytes as a number, without the checks of `readUInt16BE`: every page that is written is looked at. */
function wholeAt(page: Buffer, at: number): number {
  return page[at]! * 256 + page[at + 1]!;
}

/** Where the gap goes on after the positions of entries that were removed: no more than that stays of them in most pages. */
function afterPointers(page: Buffer, { from, to }: Residue): number {
  let at = from;
  for (; at + 2 <= to; at += 2) {
    const position = wholeAt(page, at);
    if (position < to || position >= page.length) break;
  }
  return at;
}

export function isZero(page: Buffer, { from, to }: Residue): boolean {
  return page.compare(ZEROS, 0, to - from, from, to) === 0;
}
