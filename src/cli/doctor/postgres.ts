// Checks a PostgreSQL store: whether it can be reached, what the role may do, and its rows.
import { lacksRight } from "../../store/postgres/connection/errors.ts";
import { type Grants, readGrants } from "../../store/postgres/maintenance/grants.ts";
import { StoreRefusal, StoreUnavailable } from "../../store/store.ts";
import { openWriteStore } from "../open.ts";
import type { Finding } from "./finding.ts";
import { rowFindings } from "./rows.ts";

export interface PostgresFindings {
  /** Null if the grants could not be read. */
  readonly grants: Grants | null;
  readonly findings: readonly Finding[];
}

/** A store that cannot be reached, or refuses, is a finding like any other. */
export async function examinePostgres(db: string, isFull: boolean): Promise<PostgresFindings> {
  let grants: Grants | null = null;
  const findings: Finding[] = [];
  try {
    grants = await readGrants(db);
    findings.push(...grantFindings(grants));
    findings.push(...(await storeFindings(db, isFull)));
  } catch (error) {
    if (!(error instanceof StoreRefusal || error instanceof StoreUnavailable)) throw error;
    findings.push(trouble(error, grants !== null));
  }
  return { grants, findings };
}

async function storeFindings(db: string, isFull: boolean): Promise<Finding[]> {
  const store = await openWriteStore(db);
  try {
    const companies = await store.companies();
    return await rowFindings(
      {
        companyIds: companies.map(({ id }) => id),
        keys: await store.keys(),
        visitRows: (companyId, visit) => store.export(companyId, async (kind, batch) => visit(kind, batch)),
      },
      isFull,
    );
  } finally {
    await store.close();
  }
}

/** `isThere`: the store has responded before. A message has the form "what is wrong: what to do". */
function trouble(error: StoreRefusal | StoreUnavailable, isThere: boolean): Finding {
  const [, problem, advice] = /^(.*?): (.*)$/s.exec(error.message) ?? [];
  const refused = lacksRight(error) ? "grants" : "schema";
  return {
    check: isThere && error instanceof StoreRefusal ? refused : "presence",
    problem: problem ?? error.message,
    advice: advice ?? "try again, and see what the server's own log says",
  };
}

export function grantLines({ role, tables, touchesKeys, powers }: Grants): string[] {
  return [
    `role ${role}${powers.length > 0 ? ` (${powers.join(", ")})` : ""}:`,
    ...tables.map(({ table, privileges }) => `  ${table}: ${privileges.join(", ") || "nothing"}`),
    `  last use of keys: ${touchesKeys ? "may be recorded" : "may not be recorded"}`,
  ];
}

function grantFindings({ findings }: Grants): Finding[] {
  return findings.map((finding) => {
    const [problem, advice] = splitAtAdvice(finding);
    return { check: "grants", problem, advice };
  });
}

/** A finding reads "what is wrong: what to do". */
function splitAtAdvice(finding: string): [string, string] {
  const at = finding.lastIndexOf(": ");
  return [finding.slice(0, at), finding.slice(at + 2)];
}
