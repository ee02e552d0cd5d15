// What a server knows of keys: a change by anybody else is seen, also where it notes their last use itself.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteKeyReader, SqliteKeyWriter } from "../../../src/store/sqlite/keys.ts";
import { makeKey } from "../../support/stores.ts";

/** Longer than a cached key is used without asking the file. */
const TRUST_MS = 150;

const folder = mkdtempSync(join(tmpdir(), "rollcall-keys-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function openKeys(name: string) {
  const path = join(folder, name);
  const writer = new SqliteKeyWriter(path);
  const reader = new SqliteKeyReader(path);
  const ids = ["one", "two"];
  for (const id of ids) writer.create(makeKey(id, "acme"));
  const digests = ids.map((id) => makeKey(id, "acme").digest);
  const later = async () => {
    await Bun.sleep(TRUST_MS);
    return digests.map((digest) => reader.key(digest));
  };
  const close = () => {
    reader.close();
    writer.close();
  };
  return { writer, reader, later, close };
}

// Whether the server has seen the change before it notes uses, or not, and the first time or later.
test.each(["before the first note", "after the first note", "before a later note", "after a later note"])(
  "a key that is revoked %s of a use is refused",
  async (when) => {
    const { writer, reader, later, close } = openKeys(when.replaceAll(" ", "-"));
    const note = () => reader.touch(new Map([["two", Date.now()]]));
    await later();
    if (when.includes("later")) await note();
    await later();
    if (when.startsWith("after")) await note();
    writer.update("keys", "one", { revokedAtMs: 6 });
    if (when.startsWith("before")) await note();
    const [one, two] = await later();
    expect(one).toMatchObject({ id: "one", revokedAtMs: 6 });
    expect(two).toMatchObject({ id: "two", revokedAtMs: null });
    close();
  },
);
