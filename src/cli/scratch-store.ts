// A store for data that is looked at and not kept.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WriteStore } from "../store/store.ts";
import { openWriteStore } from "./open.ts";

/** With one company, whose files have lost their names before anybody's data is in it: nothing stays, however the command ends. */
export async function scratchStore(companyId: string): Promise<WriteStore> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-check-"));
  try {
    const store = await openWriteStore(join(folder, "check.db"), { create: true, migrate: true });
    await store.createCompany({ id: companyId, name: companyId, createdAtMs: 0 });
    return store;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
