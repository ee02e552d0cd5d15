// The PostgreSQL store at an address.
import type { Store } from "../engine.ts";
import { addressUrl } from "./connection/address.ts";
import { PostgresDatabase } from "./connection/database.ts";
import { withSnapshot } from "./contents.ts";
import { examineStore } from "./maintenance/examine.ts";
import { hasStore } from "./maintenance/migrate.ts";
import { migratePostgres } from "./maintenance/role.ts";
import { openPostgresReadStore } from "./read.ts";
import { replaceStore } from "./replace.ts";
import { openPostgresWriteStore } from "./write.ts";

export function isPostgresAddress(address: string): boolean {
  return /^postgres(ql)?:\/\//i.test(address);
}

export function postgresStore(address: string): Store {
  return {
    shownAddress: withoutPassword(address),
    hasReplicas: true,
    hasReaderRole: true,
    exists: () => storeExists(address),
    openReader: (options) => openPostgresReadStore(address, options),
    openWriter: (options) => openPostgresWriteStore(address, options),
    migrate: (role) => migratePostgres(address, role),
    snapshot: (work) => withSnapshot(address, work),
    commits: null,
    replace: (work, onWait) => replaceStore(address, work, onWait),
    examine: (_isFull, examineContents) => examineStore(address, examineContents),
  };
}

function withoutPassword(address: string): string {
  const url = addressUrl(address);
  if (url === null) return "postgres://…";
  url.password = "";
  url.search = "";
  return url.href;
}

async function storeExists(address: string): Promise<boolean> {
  const database = new PostgresDatabase(address, { max: 1 });
  try {
    return await hasStore(database);
  } finally {
    await database.close();
  }
}
