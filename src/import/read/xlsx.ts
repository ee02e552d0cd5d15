// A sheet of an Excel workbook as records. The sheet is read as a stream; only the shared texts of the workbook are kept in memory.
import { posix } from "node:path";
import { DAY_MS } from "../../time/day.ts";
import { shown } from "../row-errors.ts";
import { Archive, parsed, parserFor, SAVE_AS_CSV, type Tag } from "./archive.ts";
import {
  type Cell,
  type Doubt,
  headerBelow,
  isHeaderAgain,
  isOfSameList,
  LocalMoment,
  MAX_RECORD_CHARACTERS,
  MAX_TITLE_ROWS,
  type ReadOptions,
  type RecordReader,
  requireFewColumns,
  type SourceRecord,
  UnreadableFile,
} from "./records.ts";
import { DateOrders, RowRanges } from "./swapped-dates.ts";
import { type CellStyle, cellReader, SharedTexts, styleOf } from "./xlsx-cells.ts";

/** How much text a sheet may have without any filled cell: about ten seconds. */
const MAX_TEXT_WITHOUT_ROW = 256 * 1024 * 1024;

const HALF_HOUR_MS = 1_800_000;

/** More sheets than people look at. A small workbook may name the same sheet many times. */
export const MAX_SHEETS = 100;

interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly path: string;
}

/** A sheet without rows, such as one with a chart alone. */
export class EmptySheet extends UnreadableFile {}

/** The visible sheets in order, or all if none is visible; and the hidden ones. Raises UnreadableFile if the file is no workbook. */
export async function sheetNames(path: string, within: string | null) {
  const archive = await Archive.open(path, within, () => {});
  try {
    const { sheets } = await readBook(archive);
    const visible = sheets.filter(({ isHidden }) => !isHidden);
    const shown = visible.length > 0 ? visible : sheets;
    const names = (some: readonly Sheet[]) => some.map(({ name }) => name);
    return { shown: names(shown), hidden: names(sheets.filter((sheet) => !shown.includes(sheet))) };
  } finally {
    archive.close();
  }
}

/** Opens a workbook at one sheet and reads the header. Raises UnreadableFile if it is no workbook or lacks the sheet. */
export async function openWorkbook(
  path: string,
  options: ReadOptions,
  onBytes: (bytes: number) => void = () => {},
): Promise<RecordReader> {
  const archive = await Archive.open(path, options.within, onBytes);
  const texts = new SharedTexts();
  try {
    const book = await readBook(archive);
    const sheet = chosen(book.sheets, options.sheet);
    const { styles, struck: struckStyles } =
      book.stylesPath === null ? NO_STYLES : await readStyles(archive, book.stylesPath);
    if (book.textsPath !== null) await readSharedTexts(archive, book.textsPath, texts, onBytes);
    const read = cellReader(texts, styles, book);
    const isStruck: IsStruck = (type, style, value) =>
      (style !== undefined && struckStyles.has(style)) || (type === "s" && texts.isStruck(Number(value)));
    /** The first row of each merge. A small sheet tells them before its header is known. */
    const merges: number[] = [];
    const onMerged = (reference: string) => {
      const [from = "", to = ""] = reference.split(":");
      const [first, last] = [from, to].map((cell) => Number(/\d+$/.exec(cell)?.[0] ?? 0)) as [number, number];
      // A title between rows begins in the first column.
      const hasColumns = columnOf(from) > 0 && columnOf(to) > columnOf(from);
      if (last > first || hasColumns) merges.push(first);
    };
    const rowsOf = (
      path: string,
      onMerge: (reference: string) => void,
      onRead = onBytes,
      skipRows = options.skipLines,
    ) => sheetRows(archive, path, read, isStruck, skipRows, onRead, onMerge);
    // A column whose times are all midnight has days, because some programs cannot write days.
    const timed = styles.includes("dateTime")
      ? await timedColumns(rowsOf(sheet.path, ignored, ignored))
      : new Set<number>();
    const batches = rowsOf(sheet.path, onMerged);
    const rest: SheetRow[] = [];
    while (rest.length < options.headerRows) {
      const { value } = await batches.next();
      if (value === undefined) break;
      rest.push(...value);
    }
    const headerRows = rest.splice(0, options.headerRows);
    const first = headerRows[0];
    if (first === undefined || headerRows.length < options.headerRows)
      throw new EmptySheet(
        null,
        `has no rows in its sheet ${shown(sheet.name)}${others(book.sheets, sheet)}`,
      );
    const header = headerOf(headerRows);
    const dates = new DateOrders(header);
    const hidden = new RowRanges();
    const struck = new RowRanges();
    const from1904 = new RowRanges();
    const early = new RowRanges();
    const mayBeDay = (cell: Cell) => typeof cell === "string" && /^[1-6]\d{4}$/.test(cell);
    const evened = (rows: readonly SheetRow[]) =>
      rows.flatMap((row) => {
        if (isHeaderAgain(row.cells, header)) return [];
        const record = even(row, header.length, timed);
        dates.see(record);
        if (row.isHidden) hidden.add(row.line);
        if (row.isStruck) struck.add(row.line);
        if (row.cells.some((cell, at) => isEarly(cell) && !timed.has(at))) early.add(row.line);
        if (book.is1904 && row.cells.some(mayBeDay)) from1904.add(row.line);
        return record;
      });
    const headerLine = first.line;
    const headerEnd = headerRows.at(-1)!.line;
    const unread: Doubt[] = [];
    return {
      header,
      headerLine,
      isHeaderFixed: true,
      get doubts(): readonly Doubt[] {
        const merged = merges.filter((row) => row > headerEnd).length;
        const cells: Doubt[] = merged === 0 ? [] : [{ code: "merged-cells", part: "", count: merged }];
        if (hidden.count > 0) cells.push({ code: "hidden-rows", part: String(hidden), count: hidden.count });
        if (struck.count > 0) cells.push({ code: "struck-rows", part: String(struck), count: struck.count });
        if (from1904.count > 0)
          cells.push({ code: "days-from-1904", part: String(from1904), count: from1904.count });
        if (early.count > 0) cells.push({ code: "early-days", part: String(early), count: early.count });
        return [...cells, ...dates.doubts(), ...unread];
      },
      async *records() {
        if (rest.length > 0) yield evened(rest);
        for await (const batch of batches) yield evened(batch);
        unread.push(...(await unreadSheets(book.sheets, sheet, header, options, rowsOf)));
      },
      close: async () => {
        await batches.return(undefined);
        archive.close();
      },
    };
  } catch (error) {
    archive.close();
    throw error;
  }
}

/** The other sheets with about the same columns that no source reads: they may have more rows. */
async function unreadSheets(
  sheets: readonly Sheet[],
  own: Sheet,
  header: readonly string[],
  { readSheets, headerRows }: ReadOptions,
  rowsOf: (
    path: string,
    onMerge: () => void,
    onRead: () => void,
    skipRows: number,
  ) => AsyncGenerator<readonly SheetRow[]>,
): Promise<Doubt[]> {
  if (readSheets === undefined) return [];
  const first = chosen(sheets, null);
  const unread: Doubt[] = [];
  if (sheets.length > MAX_SHEETS)
    unread.push({ code: "unread-sheet", part: `those after the first ${MAX_SHEETS}, perhaps` });
  for (const sheet of sheets.slice(0, MAX_SHEETS)) {
    const isRead = readSheets.has(fold(sheet.name)) || (sheet === first && readSheets.has(""));
    if (sheet === own || isRead) continue;
    const rows: SheetRow[] = [];
    for await (const batch of rowsOf(sheet.path, ignored, ignored, 0)) {
      rows.push(...batch);
      if (rows.length > MAX_TITLE_ROWS) break;
    }
    const headers = rows.slice(0, MAX_TITLE_ROWS).keys();
    const isAlike = (at: number) =>
      rows.length > at + headerRows && isOfSameList(header, headerOf(rows.slice(at, at + headerRows)));
    if (headers.some(isAlike))
      unread.push({
        code: "unread-sheet",
        part: `${shown(sheet.name)}${sheet.isHidden ? " (hidden)" : ""}`,
      });
  }
  return unread;
}

const ignored = () => {};
const isTrue = (attribute = "") => /^(?:1|true)$/.test(attribute);
const isFalse = (attribute = "") => /^(?:0|false)$/.test(attribute);
const fold = (text: string) => text.trim().normalize("NFC").toLowerCase();

function headerOf(rows: readonly SheetRow[]): string[] {
  const [upper = [], lower] = rows.map(({ cells }) =>
    Array.from(cells, (cell) => (cell == null ? "" : String(asDay(cell)).trim())),
  );
  const header = lower === undefined ? upper : headerBelow(upper, lower);
  while (header.at(-1) === "") header.pop();
  return header;
}

/** The columns with a time of day other than midnight, or what a program made of it. */
async function timedColumns(batches: AsyncIterable<readonly SheetRow[]>): Promise<Set<number>> {
  const timed = new Set<number>();
  for await (const rows of batches)
    for (const { cells } of rows)
      for (const [at, cell] of cells.entries())
        if (cell instanceof LocalMoment && cell.hasTime && cell.localMs % DAY_MS !== 0 && !isEarly(cell))
          timed.add(at);
  return timed;
}

/** A time at midnight as its day. */
function asDay(cell: Cell): Cell {
  const isMidnight = cell instanceof LocalMoment && cell.localMs % DAY_MS === 0;
  return isMidnight ? new LocalMoment(cell.localMs, false) : cell;
}

/** The row with as many cells as the header, empty ones as in a text file. Filled cells beyond the header make it bad. */
function even({ line, cells: given }: SheetRow, length: number, timed: ReadonlySet<number>): SourceRecord {
  const cells = given.map((cell, at) => (timed.has(at) ? cell : asDay(cell)));
  const beyond = cells.findIndex((cell, at) => at >= length && cell !== null);
  if (beyond !== -1) {
    const problem = `has something in column ${beyond + 1}, which has no name in the header: name it, or say with "skipLines" where the header is`;
    return { line, cells, problem };
  }
  return { line, cells: Array.from({ length }, (_, at) => cells[at] ?? "") };
}

/**
 * Whether a time was probably midnight of the next day: seconds before midnight, as SheetJS makes of days in some time zones, or a hidden
 * hour after noon, which midnight in UTC is in America, and midnight in Europe and Asia is in UTC.
 */
function isEarly(cell: Cell): boolean {
  if (!(cell instanceof LocalMoment)) return false;
  const time = new Date(cell.localMs);
  const [hour, second] = [time.getUTCHours(), time.getUTCSeconds()];
  if (cell.isTimeHidden && cell.localMs % HALF_HOUR_MS === 0) return hour > 12;
  return hour === 23 && time.getUTCMinutes() >= 58 && second !== 0 && second !== 59;
}

/** The sheet of that name, in any case; without a name, the first one that is not hidden. */
function chosen(sheets: readonly Sheet[], name: string | null): Sheet {
  const part =
    name === null
      ? (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0])
      : (sheets.find((sheet) => sheet.name === name) ??
        sheets.find((sheet) => fold(sheet.name) === fold(name)));
  if (part !== undefined) return part;
  const names = sheets.map((sheet) => shown(sheet.name)).join(", ");
  throw new UnreadableFile(
    null,
    name === null ? "has no sheets" : `has no sheet ${shown(name)}: there are ${names}`,
  );
}

function others(sheets: readonly Sheet[], sheet: Sheet): string {
  const names = sheets.filter((other) => other !== sheet).map(({ name }) => shown(name));
  return names.length === 0 ? "" : `: name another one with "sheet" in a mapping (${names.join(", ")})`;
}

interface Book {
  readonly sheets: readonly Sheet[];
  readonly is1904: boolean;
  /** Whether a spreadsheet program would compute all formulas again: XlsxWriter stores 0, and other programs what was there before. */
  readonly isStale: boolean;
  readonly textsPath: string | null;
  readonly stylesPath: string | null;
}

async function readBook(archive: Archive): Promise<Book> {
  const root = "xl/workbook.xml";
  let bookPath = root;
  if (!archive.has(root)) {
    const relations = archive.has("_rels/.rels") ? await readRelations(archive, "_rels/.rels", "") : [];
    bookPath = relations.find(({ type }) => type.endsWith("/officeDocument"))?.path ?? root;
  }
  if (!archive.has(bookPath))
    throw new UnreadableFile(null, "is a zip archive by its content, but not an Excel workbook");
  const slash = bookPath.lastIndexOf("/") + 1;
  const folder = bookPath.slice(0, slash);
  const relations = await readRelations(archive, `${folder}_rels/${bookPath.slice(slash)}.rels`, folder);
  const pathOf = new Map(relations.map(({ id, path }) => [id, path]));
  const sheets: Sheet[] = [];
  let [is1904, isStale] = [false, false];
  await archive.tags(bookPath, ({ name, attributes }) => {
    if (name === "workbookPr") is1904 = isTrue(attributes.date1904);
    if (name === "calcPr") isStale = isTrue(attributes.fullCalcOnLoad) || isFalse(attributes.calcCompleted);
    if (name !== "sheet") return;
    const path = pathOf.get(attributes.id ?? "");
    const isHidden = attributes.state !== undefined && attributes.state !== "visible";
    if (path !== undefined) sheets.push({ name: attributes.name ?? "", isHidden, path });
  });
  const partOf = (type: string) => {
    const path = relations.find((relation) => relation.type.endsWith(`/${type}`))?.path;
    return path !== undefined && archive.has(path) ? path : null;
  };
  return { sheets, is1904, isStale, textsPath: partOf("sharedStrings"), stylesPath: partOf("styles") };
}

async function readRelations(archive: Archive, path: string, folder: string) {
  const parts: { id: string; type: string; path: string }[] = [];
  await archive.tags(path, ({ name, attributes: { Id = "", Type = "", Target = "" } }) => {
    if (name !== "Relationship") return;
    parts.push({
      id: Id,
      type: Type,
      path: posix.join("/", Target.startsWith("/") ? "" : folder, Target).slice(1),
    });
  });
  return parts;
}

interface Styles {
  readonly styles: readonly CellStyle[];
  /** The numbers of styles whose text is struck through. */
  readonly struck: ReadonlySet<string>;
}

const NO_STYLES: Styles = { styles: [], struck: new Set() };

/** Whether a mark such as `<strike/>` applies. */
const isOn = ({ attributes }: Tag) => !isFalse(attributes.val);

/** The parts of a styles file that share tags: `font` is in `fonts` and `dxfs`. */
const STYLE_PARTS: ReadonlySet<string> = new Set(["fonts", "fills", "cellStyleXfs", "cellXfs", "dxfs"]);

async function readStyles(archive: Archive, path: string): Promise<Styles> {
  const formats = new Map<number, string>();
  const styles: CellStyle[] = [];
  const struck = new Set<string>();
  /** Of each font, whether it is struck through. */
  const fonts: boolean[] = [];
  let part = "";
  await archive.tags(path, (tag) => {
    const { name, attributes } = tag;
    if (STYLE_PARTS.has(name)) part = name;
    if (name === "numFmt") formats.set(Number(attributes.numFmtId), attributes.formatCode ?? "");
    if (part === "fonts" && name === "font") fonts.push(false);
    if (part === "fonts" && name === "strike") fonts[fonts.length - 1] = isOn(tag);
    if (part !== "cellXfs" || name !== "xf") return;
    const id = Number(attributes.numFmtId ?? 0);
    if (fonts[Number(attributes.fontId ?? 0)]) struck.add(String(styles.length));
    styles.push(styleOf(id, formats.get(id)));
  });
  return { styles, struck };
}

async function readSharedTexts(
  archive: Archive,
  path: string,
  texts: SharedTexts,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const collector = new TextCollector("si");
  await parsed(archive.text(path, onBytes), {
    open: (tag) => collector.open(tag),
    text: (text) => collector.text(text),
    close: (name) => {
      const text = collector.close(name);
      if (text !== null) texts.add(text, collector.isStruck);
    },
  });
}

/** Joins the texts `<t>` of an element, but not its pronunciation. */
class TextCollector {
  #text: string | null = null;
  #isInText = false;
  #isInPhonetic = false;
  /** Whether a part of the newest text is struck through. */
  isStruck = false;

  constructor(readonly element: string) {}

  open(tag: Tag): void {
    const { name } = tag;
    if (name === this.element) [this.#text, this.isStruck] = ["", false];
    else if (name === "strike") this.isStruck ||= isOn(tag);
    else if (name === "t") this.#isInText = true;
    else if (name === "rPh") this.#isInPhonetic = true;
  }

  text(text: string): void {
    if (this.#text !== null && this.#isInText && !this.#isInPhonetic) this.#text += text;
    if (this.#text !== null && this.#text.length > MAX_RECORD_CHARACTERS)
      throw new UnreadableFile(null, "has a cell with more than 1 MB of text");
  }

  /** The element's text, if this tag ends it. */
  close(name: string): string | null {
    if (name === "t") this.#isInText = false;
    else if (name === "rPh") this.#isInPhonetic = false;
    if (name !== this.element) return null;
    const text = this.#text;
    this.#text = null;
    return text;
  }
}

interface SheetRow {
  readonly line: number;
  readonly isHidden: boolean;
  /** Whether the text of a cell is struck through. */
  readonly isStruck: boolean;
  readonly cells: readonly Cell[];
}

type IsStruck = (type: string, style: string | undefined, value: string) => boolean;

/** The filled rows after the first `skipRows`, while the sheet is read. */
async function* sheetRows(
  archive: Archive,
  path: string,
  read: ReturnType<typeof cellReader>,
  isCellStruck: IsStruck,
  skipRows: number,
  onBytes: (bytes: number) => void,
  onMerged: (reference: string) => void,
): AsyncGenerator<SheetRow[], void, void> {
  const rows: SheetRow[] = [];
  const inline = new TextCollector("is");
  let line = 0;
  let isHidden = false;
  let isStruck = false;
  let cells: Cell[] = [];
  let column = -1;
  let type = "n";
  let style: string | undefined;
  let isInValue = false;
  let isFormula = false;
  let value = "";
  let inlineText: string | null = null;
  const parser = parserFor({
    open: (tag) => {
      const { name, attributes } = tag;
      if (name === "row") {
        line = Number(attributes.r ?? line + 1);
        isHidden = isTrue(attributes.hidden);
        isStruck = false;
        cells = [];
        column = -1;
      } else if (name === "c") {
        column = attributes.r === undefined ? column + 1 : columnOf(attributes.r);
        type = attributes.t ?? "n";
        style = attributes.s;
        value = "";
        isFormula = false;
        inlineText = null;
      } else if (name === "v") isInValue = true;
      else if (name === "f") isFormula = true;
      else if (name === "mergeCell") onMerged(attributes.ref ?? "");
      else inline.open(tag);
    },
    text: (text) => {
      if (isInValue) value += text;
      else inline.text(text);
      if (value.length > MAX_RECORD_CHARACTERS)
        throw new UnreadableFile(line, "has a cell with more than 1 MB of text");
    },
    close: (name) => {
      if (name === "v") isInValue = false;
      else if (name === "c") {
        const cell = read(type, style, value, inlineText, isFormula);
        if (cell === null) return;
        isStruck ||= isCellStruck(type, style, value) || (inlineText !== null && inline.isStruck);
        requireFewColumns(column + 1, line);
        while (cells.length < column) cells.push(null);
        cells[column] = cell;
      } else if (name === "row") {
        if (line > skipRows && cells.length > 0) rows.push({ line, isHidden, isStruck, cells });
      } else inlineText = inline.close(name) ?? inlineText;
    },
  });
  let charactersSinceRow = 0;
  for await (const piece of archive.text(path, onBytes)) {
    charactersSinceRow += piece.length;
    parser.write(piece);
    if (rows.length > 0) {
      charactersSinceRow = 0;
      yield rows.splice(0);
    } else if (charactersSinceRow > MAX_TEXT_WITHOUT_ROW)
      throw new UnreadableFile(
        line,
        `has 256 MB of empty cells up to here: delete the empty rows, or ${SAVE_AS_CSV}`,
      );
  }
  parser.close();
}

/** The column of a reference such as `AB12`, from 0. */
function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length; at++) {
    const letter = reference.charCodeAt(at) & ~0x20;
    if (letter < 0x41 || letter > 0x5a) break;
    column = column * 26 + (letter - 0x40);
  }
  return column - 1;
}
