// Whether every reference between the rows of a company leads somewhere.
import type { FactKind, Rows } from "../../store/tables.ts";
import { type Finding, Tally } from "./finding.ts";

/** Takes the rows of one company, workers and policies first. */
export class References {
  readonly #workers = new Set<string>();
  readonly #policies = new Set<string>();
  readonly #tally = new Tally();

  constructor(readonly companyId: string) {}

  take<K extends FactKind>(kind: K, rows: readonly Rows[K][]): void {
    for (const row of rows) this.#takeRow(kind, row);
  }

  #takeRow(kind: FactKind, row: Rows[FactKind]): void {
    if (kind === "workers" && "id" in row) this.#workers.add(row.id);
    if (kind === "policies" && "id" in row) this.#policies.add(row.id);
    if ("workerId" in row && !this.#workers.has(row.workerId)) {
      this.#tally.add(`${kind} of a worker that is not there`, `${nameOf(row)} (worker ${row.workerId})`);
    }
    if ("policyId" in row && !this.#policies.has(row.policyId)) {
      this.#tally.add(`${kind} of a policy that is not there`, `${nameOf(row)} (policy ${row.policyId})`);
    }
  }

  findings(): Finding[] {
    return this.#tally
      .findings("references", "import the company again with --prune, or restore a backup")
      .map((finding) => ({ ...finding, problem: `company ${this.companyId}: ${finding.problem}` }));
  }
}

function nameOf(row: Rows[FactKind]): string {
  return "id" in row ? row.id : `${row.workerId} on day ${row.day}`;
}
