// Property: see statement.ts. Larger companies, and PostgreSQL.
import { expect, test } from "bun:test";
import { postgres, sqlite } from "../../store/conformance/engines.ts";
import { compareStatements } from "./statement.ts";

test.each([
  { engine: sqlite, seed: 2, people: 10, nights: 6 },
  { engine: sqlite, seed: 3, people: 10, nights: 6 },
  { engine: postgres, seed: 1, people: 6, nights: 4 },
])(
  "movements after closes, and why figures differ: $engine.name, seed $seed",
  async ({ engine, ...size }) => {
    const { differences } = await compareStatements(engine, size);
    expect(differences).toBeGreaterThan(10);
  },
);
