// What the role that doctor connected with may do on PostgreSQL.
import type { Grants } from "../../store/postgres/maintenance/grants.ts";
import type { Finding } from "./finding.ts";

export function grantLines({ role, tables, touchesKeys, powers }: Grants): string[] {
  return [
    `role ${role}${powers.length > 0 ? ` (${powers.join(", ")})` : ""}:`,
    ...tables.map(({ table, privileges }) => `  ${table}: ${privileges.join(", ") || "nothing"}`),
    `  last use of keys: ${touchesKeys ? "may be noted" : "may not be noted"}`,
  ];
}

export function grantFindings({ findings }: Grants): Finding[] {
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
