// The PostgreSQL store at an address. Each module is loaded at its first call, so that commands on an embedded store start sooner.
import { addressUrl, type Store } from "../engine.ts";

export function postgresStore(address: string): Store {
  return {
    shownAddress: withoutPassword(address),
    isOnServer: true,
    exists: async () => (await import("./maintenance/migrate.ts")).storeExists(address),
    openReader: async (options) => (await import("./read.ts")).openPostgresReadStore(address, options),
    openWriter: async (options) => (await import("./write.ts")).openPostgresWriteStore(address, options),
    migrate: async (role) => (await import("./maintenance/role.ts")).migratePostgres(address, role),
    vacuum: async () => (await import("./maintenance/vacuum.ts")).vacuumStore(address),
    snapshot: async (work) => (await import("./contents.ts")).withSnapshot(address, work),
    file: null,
    replace: async (work, waiting) => (await import("./replace.ts")).replaceStore(address, work, waiting),
    examine: async (_isFull, examineContents) =>
      (await import("./maintenance/examine.ts")).examineStore(address, examineContents),
  };
}

function withoutPassword(address: string): string {
  const url = addressUrl(address);
  if (url === null) return "postgres://…";
  url.password = "";
  url.search = "";
  return url.href;
}
