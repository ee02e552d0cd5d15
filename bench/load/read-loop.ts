// Reads pages of workers in a loop, without a server: the statement of a cold page as the server prepares it, from the same cursors.
// Prints the CPU time of a page in microseconds. Arguments: the store, the company, the file of the paths, how many pages
// to read.
import { readFileSync } from "node:fs";
import { openReader, Statements } from "../../src/store/sqlite/database.ts";
import { READ_CACHE_KIB } from "../../src/store/sqlite/read.ts";
import { STORE_SCHEMA } from "../../src/store/sqlite/schema.ts";
import { pageStatements } from "../../src/store/sqlite/sql.ts";

const [, , storePath, company, pathsFile, count] = process.argv;
const LIMIT = 25;
const WARM_UP = 0.25;

const database = openReader({ path: storePath!, schema: STORE_SCHEMA });
database.run(`pragma cache_size = -${READ_CACHE_KIB}`);
const [statement] = pageStatements("workers", company!, { limit: LIMIT, after: "wrk" }, []); // without filters there is one
const page = new Statements(database).prepare(statement!.text);
const cursors = readFileSync(pathsFile!, "utf8")
  .split("\n")
  .map((path) => new URLSearchParams(path.split("?")[1]).get("afterId"));

let at = 0;
const read = (pages: number) => {
  for (let index = 0; index < pages; index++) {
    const cursor = cursors[at++ % cursors.length];
    if (cursor) page.values(company!, cursor, LIMIT + 1);
  }
};
read(Number(count) * WARM_UP);
const before = process.cpuUsage();
read(Number(count));
const { user, system } = process.cpuUsage(before);
console.log((user + system) / Number(count));
