// Runs a file of Google Apps Script in Node, with stand-ins for Google's services and real requests:
// node apps-script.mjs FILE FUNCTION. Prints the spreadsheet's sheets as JSON. SHEETS_NOW is the moment.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";

const [, , file, name] = process.argv;
const sheets = {};
const now = Date.parse(process.env.SHEETS_NOW);

/** Google's services wait for a response, so another process asks. */
const ASK = `const [url, headers] = process.argv.slice(1);
const response = await fetch(url, { headers: JSON.parse(headers) });
console.log(JSON.stringify({ status: response.status, text: await response.text() }));`;

const UrlFetchApp = {
  fetch(url, { headers, muteHttpExceptions }) {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "-e", ASK, url, JSON.stringify(headers)],
      { encoding: "utf8" },
    );
    if (stdout === "") throw new Error(stderr);
    const { status, text } = JSON.parse(stdout);
    if (status >= 400 && !muteHttpExceptions) throw new Error(`Request failed, code ${status}`);
    return { getResponseCode: () => status, getContentText: () => text };
  },
};

function sheetOf(title) {
  return {
    clearContents() {
      sheets[title] = [];
    },
    getRange: (row, column, rows, columns) => ({
      setValues(values) {
        if (row !== 1 || column !== 1 || values.length !== rows)
          throw new Error(`${values.length} rows do not fit the range`);
        if (values.some((cells) => cells.length !== columns)) throw new Error("a row does not fit the range");
        sheets[title] = values;
      },
    }),
  };
}

const spreadsheet = {
  getSheetByName: (title) => (title in sheets ? sheetOf(title) : null),
  insertSheet(title) {
    sheets[title] = [];
    return sheetOf(title);
  },
  getSpreadsheetTimeZone: () => "Etc/UTC",
};

const context = {
  UrlFetchApp,
  SpreadsheetApp: { getActive: () => spreadsheet },
  PropertiesService: {
    getScriptProperties: () => ({ getProperty: (property) => process.env[property] ?? null }),
  },
  Utilities: { formatDate: (date) => date.toISOString().slice(0, 10) },
  Date: class extends Date {
    static now = () => now;
  },
};
runInNewContext(readFileSync(file, "utf8"), context);
context[name]();
console.log(JSON.stringify(sheets));
