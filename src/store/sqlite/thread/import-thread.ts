// The thread of a large first import into an embedded store: see thread/remote.ts. It is an entry of its own in a bundle.
import { serveImport } from "../../thread/serve.ts";
import { openSqliteWriteStore } from "../write.ts";

serveImport(async (path) => openSqliteWriteStore(path));
