// A small Excel workbook, written by hand: a zip archive of the few XML files that make one.
import { Readable } from "node:stream";
import { crc32, createDeflateRaw, deflateRawSync } from "node:zlib";

/** A cell: text (shared, or inline with `inline:`; with `struck:`, its first letter is struck through), a number, a yes or no, or a formula with its stored value, or none, a number shown as a date or a time, with a unit or in percent; or a date that is stored as ISO 8601. */
export type WorkbookCell =
  | string
  | number
  | boolean
  | null
  | { readonly formula: string; readonly value?: number }
  | { readonly serial: number; readonly as: keyof typeof STYLE }
  | { readonly iso: string; readonly as: keyof typeof STYLE };

const STYLE = {
  date: 1,
  dateTime: 2,
  time: 3,
  hours: 4,
  days: 5,
  zeros: 6,
  struck: 7,
  percent: 8,
  decimalPercent: 9,
  clock: 10,
} as const;

/** A text in two parts of different formats. */
function runs(given: string): string {
  const text = given.replace(/^struck:/, "");
  const struck = text === given ? '<strike val="0"/>' : "<strike/>";
  return `<r><rPr>${struck}</rPr><t xml:space="preserve">${escaped(text.slice(0, 1))}</t></r><r><t>${escaped(text.slice(1))}</t></r>`;
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The bytes of a workbook whose sheets have these rows; a sheet named with `hidden:` is hidden. `merged`: by sheet, as `B2:B5`. `hiddenRows`: of all sheets, from 1. `is1904`: it counts days from 1904. `calculation`: attributes of `calcPr`. */
export function workbook(
  sheets: Readonly<Record<string, readonly (readonly WorkbookCell[])[]>>,
  merged: Readonly<Record<string, readonly string[]>> = {},
  hiddenRows: readonly number[] = [],
  is1904 = false,
  calculation = "",
): Uint8Array {
  const texts: string[] = [];
  const cellXml = (cell: WorkbookCell, reference: string): string => {
    if (cell === null) return "";
    if (typeof cell === "boolean") return `<c r="${reference}" t="b"><v>${cell ? 1 : 0}</v></c>`;
    if (typeof cell === "number") return `<c r="${reference}"><v>${cell}</v></c>`;
    if (typeof cell === "object" && "formula" in cell)
      return `<c r="${reference}"><f>${escaped(cell.formula)}</f>${cell.value === undefined ? "" : `<v>${cell.value}</v>`}</c>`;
    if (typeof cell === "object" && "iso" in cell)
      return `<c r="${reference}" s="${STYLE[cell.as]}" t="d"><v>${cell.iso}</v></c>`;
    if (typeof cell === "object")
      return `<c r="${reference}" s="${STYLE[cell.as]}"><v>${cell.serial}</v></c>`;
    if (cell.startsWith("inline:"))
      return `<c r="${reference}" t="inlineStr"><is>${runs(cell.slice(7))}</is></c>`;
    return `<c r="${reference}" t="s"><v>${texts.push(cell) - 1}</v></c>`;
  };
  const names = Object.keys(sheets);
  const sheetXml = Object.entries(sheets).map(([name, rows]) => {
    const xml = rows.map((row, at) => {
      const cells = row.map((cell, column) => cellXml(cell, `${String.fromCharCode(65 + column)}${at + 1}`));
      return `<row r="${at + 1}"${hiddenRows.includes(at + 1) ? ' hidden="1"' : ""}>${cells.join("")}</row>`;
    });
    return `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${xml.join("")}</sheetData>${mergedXml(merged[name])}</worksheet>`;
  });
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`;
  return archive({
    "xl/workbook.xml": `<workbook xmlns:r="r"><workbookPr date1904="${is1904}"/><sheets>${names.map((name, at) => `<sheet name="${escaped(name.replace(/^hidden:/, ""))}"${name.startsWith("hidden:") ? ' state="hidden"' : ""} sheetId="${at + 1}" r:id="s${at}"/>`).join("")}</sheets><calcPr ${calculation}/></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${names.map((_, at) => relation(`s${at}`, "worksheet", `worksheets/sheet${at}.xml`)).join("")}${relation("t", "sharedStrings", "sharedStrings.xml")}${relation("f", "styles", "styles.xml")}</Relationships>`,
    "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="dd\\/mm\\/yyyy hh:mm"/><numFmt numFmtId="171" formatCode="[h]:mm"/><numFmt numFmtId="172" formatCode="0.0\\ &quot;h&quot;;[Red]-0.0"/><numFmt numFmtId="173" formatCode="General&quot; Tage&quot;"/><numFmt numFmtId="174" formatCode="&quot;E-&quot;00000;@"/><numFmt numFmtId="175" formatCode="0.0%;[Red]-0.0%"/><numFmt numFmtId="176" formatCode="00\\:00"/></numFmts><fonts><font><strike val="0"/></font><font><b/><strike/></font></fonts><fills/><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="172"/><xf numFmtId="173"/><xf numFmtId="174"/><xf numFmtId="14" fontId="1"/><xf numFmtId="9"/><xf numFmtId="175"/><xf numFmtId="176"/></cellXfs><dxfs><dxf><font><strike/></font></dxf></dxfs></styleSheet>`,
    "xl/sharedStrings.xml": `<sst>${texts.map((text) => `<si>${runs(text)}</si>`).join("")}</sst>`,
    ...Object.fromEntries(sheetXml.map((xml, at) => [`xl/worksheets/sheet${at}.xml`, xml])),
  });
}

function mergedXml(references: readonly string[] = []): string {
  const cells = references.map((reference) => `<mergeCell ref="${reference}"/>`);
  return cells.length === 0 ? "" : `<mergeCells count="${cells.length}">${cells.join("")}</mergeCells>`;
}

/** A file of an archive that is compressed already. */
interface Packed {
  readonly packed: Buffer;
  readonly crc: number;
  readonly length: number;
}

/** A text that is too long to be held, compressed. */
export async function packedText(pieces: Iterable<string>): Promise<Packed> {
  let crc = 0;
  let length = 0;
  function* bytes() {
    for (const piece of pieces) {
      const content = Buffer.from(piece);
      crc = crc32(content, crc);
      length += content.length;
      yield content;
    }
  }
  const packed = await Readable.from(bytes()).pipe(createDeflateRaw()).toArray();
  return { packed: Buffer.concat(packed), crc, length };
}

const packedOf = (text: string): Packed => {
  const content = Buffer.from(text);
  return { packed: deflateRawSync(content), crc: crc32(content), length: content.length };
};

/** A zip archive of texts. */
export function archive(files: Readonly<Record<string, string | Packed>>): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const { packed, crc, length } = typeof text === "string" ? packedOf(text) : text;
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0); // version
    header.writeUInt16LE(0x800, 2); // names are UTF-8
    header.writeUInt16LE(8, 4); // deflate
    header.writeUInt32LE(crc, 10);
    header.writeUInt32LE(packed.length, 14);
    header.writeUInt32LE(length, 18);
    header.writeUInt16LE(Buffer.byteLength(name), 22);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(offset, 10);
    parts.push(Buffer.from("PK\x03\x04", "latin1"), header, Buffer.from(name), packed);
    directory.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), header, central, Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, list, end]);
}
