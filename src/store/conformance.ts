// The suite that every engine passes unchanged: it holds an engine to what store.ts promises. An engine adds a factory.
import { describe, setDefaultTimeout } from "bun:test";
import { balances } from "./conformance/balances.ts";
import { companies } from "./conformance/companies.ts";
import { imports } from "./conformance/imports.ts";
import { keys } from "./conformance/keys.ts";
import { lists } from "./conformance/lists.ts";
import { opening } from "./conformance/opening.ts";
import type { Engine } from "./conformance/place.ts";
import { primitives } from "./conformance/primitives.ts";

/** Generous: what is promised is not how fast a loaded machine runs hundreds of random cases. */
const TIMEOUT_MS = 60_000;

/** Declares the tests of every promise, for one engine. */
export function conformance(engine: Engine): void {
  setDefaultTimeout(TIMEOUT_MS);
  describe(`${engine.name} keeps the store's promises:`, () => {
    for (const part of [opening, companies, keys, primitives, imports, lists, balances]) part(engine);
  });
}
