// Looks at the rows of every company: references always, documents of all rows or of a sample.
import type { FactKind, Rows } from "../../store/tables.ts";
import { type Check, documentChecks } from "./documents.ts";
import type { Examined } from "./examined.ts";
import { type Finding, Tally } from "./finding.ts";
import { References } from "./references.ts";

/** Without `--full`: the documents of the first rows of each kind, and of every so many after them. */
const SAMPLE_FIRST = 1000;
const SAMPLE_EVERY = 100;

export async function rowFindings(store: Examined, isFull: boolean): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const companyId of store.companyIds) findings.push(...(await ofCompany(store, companyId, isFull)));
  const strayKeys = store.keys.filter((key) => !store.companyIds.includes(key.companyId));
  for (const key of strayKeys) {
    findings.push({
      check: "keys",
      problem: `key ${key.id} is of company ${key.companyId}, which is not there`,
      advice: `rollcall keys revoke ${key.id}, or restore a backup that has the company`,
    });
  }
  return findings;
}

async function ofCompany(store: Examined, companyId: string, isFull: boolean): Promise<Finding[]> {
  const references = new References(companyId);
  const zones = new Map<string, string | null>();
  const checks: { readonly [K in FactKind]?: Check<Rows[K]> } = documentChecks((id) => zones.get(id));
  const wrong = new Tally();
  const seen: Partial<Record<FactKind, number>> = {};
  await store.visitRows(companyId, (kind, rows) => {
    references.take(kind, rows);
    for (const row of rows) {
      if (kind === "workers" && "timeZone" in row && "id" in row) zones.set(row.id, row.timeZone);
      const number = (seen[kind] ?? 0) + 1;
      seen[kind] = number;
      if (!isFull && number > SAMPLE_FIRST && number % SAMPLE_EVERY !== 0) continue;
      const problem = checks[kind]?.(row);
      if (problem && "id" in row) wrong.add(`company ${companyId}: ${kind} ${problem}`, row.id);
    }
  });
  const advice =
    "import the company again from its source: rows that differ are written anew; or restore a backup";
  return [...references.findings(), ...wrong.findings("documents", advice)];
}
