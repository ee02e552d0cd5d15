// Imports a folder in a process of its own, so that a test can kill it: store, company, folder.
import { findFiles } from "../../src/ingest/files.ts";
import { importFeeds } from "../../src/ingest/load.ts";
import { openSqliteWriteStore } from "../../src/store/sqlite/write.ts";

const [path, companyId, folder] = process.argv.slice(2) as [string, string, string];
const store = openSqliteWriteStore(path);
const { feeds } = await findFiles([folder], null);
process.stdout.write("importing\n");
await importFeeds(store, companyId, feeds, { isDryRun: false, isPruning: true, mayRemoveMost: true });
await store.close();
