// Reads pages of workers in a loop, without a server: the statement of a cold page, from the same cursors. Prints the CPU time of a
// page in microseconds. Arguments: the store, the company's number, the file of the paths, how many pages to read.
import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";

const [, , storePath, company, pathsFile, count] = process.argv;
/** As src/store/sqlite/read.ts has it. */
const CACHE_KIB = 32_768;
const WARM_UP = 0.25;

const database = new Database(storePath!, { readonly: true });
database.run(`pragma cache_size = -${CACHE_KIB}`);
const page = database.prepare(
  "select cast(doc as blob), id from workers where company_id = ? and id > ? order by id limit 26",
);
const cursors = readFileSync(pathsFile!, "utf8")
  .split("\n")
  .map((path) => new URLSearchParams(path.split("?")[1]).get("afterId"));

let at = 0;
const read = (pages: number) => {
  for (let index = 0; index < pages; index++) {
    const cursor = cursors[at++ % cursors.length];
    if (cursor) page.values(Number(company), cursor);
  }
};
read(Number(count) * WARM_UP);
const before = process.cpuUsage();
read(Number(count));
const { user, system } = process.cpuUsage(before);
console.log((user + system) / Number(count));
