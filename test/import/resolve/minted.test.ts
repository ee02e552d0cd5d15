// Property: a row of a first import is said to have an id that was minted from its legacy id only if that is so, whatever other rows
// of the import have as ids: also an id that is minted from the legacy id of another row. A store leaves the legacy id
// of such a row out, and mints the id again to find it.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { mintedId, NamedRows } from "../../../src/import/resolve/identity.ts";
import { Scratch } from "../../../src/import/scratch.ts";
import { IS_MINTED } from "../../../src/resources/resource.ts";
import type { ImportTransaction } from "../../../src/store/store.ts";

const LEGACY_IDS = ["R1", "R2", "R3"];
const minted = (legacyId: string) => mintedId("acme", "requests", legacyId);

const fact = fc.record({
  id: fc.constantFrom(null, "tor_own", ...LEGACY_IDS.map(minted)),
  legacyId: fc.constantFrom(null, ...LEGACY_IDS),
});

test("an id that is said to be minted from the legacy id is", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fact, { maxLength: 5 }), { maxLength: 3 }),
      fc.boolean(),
      async (batches, remembersKeys) => {
        const scratch = new Scratch();
        try {
          const transaction = {} as ImportTransaction; // nothing is stored, so nothing is asked for
          const context = { companyId: "acme", transaction, scratch, isFresh: true, remembersKeys };
          const rows = new NamedRows("requests", context);
          for (const facts of batches)
            for (const found of await rows.identify(facts)) {
              if (found.problem !== undefined) continue;
              const { id, legacyId, [IS_MINTED]: isMinted } = found.identity;
              if (isMinted) expect(minted(legacyId!)).toBe(id);
            }
        } finally {
          scratch.close();
        }
      },
    ),
    { numRuns: 300 },
  );
});

test("an id that was just minted is said to be", async () => {
  const scratch = new Scratch();
  const context = { companyId: "acme", transaction: {} as ImportTransaction, scratch, isFresh: true }; // as above
  const rows = new NamedRows("requests", { ...context, remembersKeys: false });
  const [found] = await rows.identify([{ id: null, legacyId: "R1" }]);
  expect(found).toMatchObject({ identity: { id: minted("R1"), [IS_MINTED]: true } });
  scratch.close();
});
