// A temporary store.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WriteStore } from "../store/store.ts";
import { openWriteStore } from "./open.ts";

/** A store with one company. Its files are unlinked before any data is in them, so nothing stays however the command ends. */
export async function scratchStore(companyId: string): Promise<WriteStore> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-check-"));
  try {
    const store = await openWriteStore(join(folder, "check.db"), { create: true });
    await store.createCompany({ id: companyId, name: companyId, createdAtMs: 0 });
    return store;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
