// The suite that every engine passes unchanged: it holds an engine to what store.ts promises. An engine adds a factory.
import { describe, setDefaultTimeout } from "bun:test";
import { balances } from "./balances.ts";
import { calendarFeeds } from "./calendar-feeds.ts";
import { feed } from "./changes.ts";
import { companies } from "./companies.ts";
import type { Engine } from "./engine.ts";
import { hooks } from "./hooks.ts";
import { imports } from "./imports.ts";
import { keys } from "./keys.ts";
import { known } from "./known.ts";
import { lists } from "./lists.ts";
import { opening } from "./opening.ts";
import { primitives } from "./primitives.ts";
import { staging } from "./staging.ts";

/** Generous: what is promised is not how fast a loaded machine runs hundreds of random cases. */
const TIMEOUT_MS = 120_000;

/** Declares the tests of every promise but one, for one engine: `neighbours.ts` takes as long as all others together. */
export function conformance(engine: Engine): void {
  setDefaultTimeout(TIMEOUT_MS);
  describe(`${engine.name} keeps the store's promises:`, () => {
    for (const part of [
      opening,
      companies,
      keys,
      calendarFeeds,
      hooks,
      primitives,
      imports,
      lists,
      balances,
      feed,
      staging,
      known,
    ])
      part(engine);
  });
}
