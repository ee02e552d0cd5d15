// What `rollcall follow` prints for other programs: who is away, for a chat, and people, for identity providers.
import type { ChangePage, Rollcall, Worker } from "../../../client/index.ts";

export const FORMATS = ["json", "slack", "scim-bulk"] as const;
export type Format = (typeof FORMATS)[number];

/** More operations than this are refused by some identity providers. */
const OPERATIONS_MAX = 50;

/** The documents that a page makes: each is given to `--exec` by itself. */
export function documentsOf(page: ChangePage, format: Format): string[] {
  if (format === "json") return [page.data.map((change) => `${JSON.stringify(change)}\n`).join("")];
  const operations = page.data.map(({ id, object }) => ({
    method: "POST",
    bulkId: id,
    path: "/Users",
    data: userOf(id, object as Worker | null), // only workers are asked for
  }));
  const schemas = ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"];
  const documents: string[] = [];
  for (let at = 0; at < operations.length; at += OPERATIONS_MAX) {
    const Operations = operations.slice(at, at + OPERATIONS_MAX);
    documents.push(`${JSON.stringify({ schemas, Operations })}\n`);
  }
  return documents;
}

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** A worker as a user of SCIM (RFC 7643); of one who is removed, only that the account is to be closed. */
function userOf(id: string, worker: Worker | null) {
  if (worker === null) return { schemas: [USER], externalId: id, active: false };
  const { firstName, lastName, displayName, position, workEmail, legacyId, department, managerId } = worker;
  return {
    schemas: [USER, ENTERPRISE],
    externalId: id,
    userName: workEmail ?? id,
    name: { givenName: firstName, familyName: lastName },
    displayName,
    title: position,
    active: worker.status !== "inactive",
    emails: workEmail === null ? [] : [{ value: workEmail, type: "work", primary: true }],
    [ENTERPRISE]: {
      ...(legacyId !== null && { employeeNumber: legacyId }),
      ...(department !== null && { department: department.name }),
      ...(managerId !== null && { manager: { value: managerId } }),
    },
  };
}

/** Who is away on a day, as a message for Slack's incoming webhooks. */
export async function awayMessage(rollcall: Rollcall, day: string): Promise<string> {
  const away = new Set<string>();
  for await (const { workerId, isAbsence } of rollcall.days.list({ from: day, to: day }))
    if (isAbsence) away.add(workerId);
  const names: string[] = [];
  if (away.size > 0) {
    for await (const { id, displayName } of rollcall.workers.list())
      if (away.has(id)) names.push(displayName.replace(/[&<>]/g, (sign) => ESCAPED[sign]!)); // each has one
  }
  const list = names.toSorted((left, right) => left.localeCompare(right)).map((name) => `• ${name}`);
  const text =
    names.length === 0 ? `Nobody is away today (${day}).` : [`Away today (${day}):`, ...list].join("\n");
  return `${JSON.stringify({ text })}\n`;
}

const ESCAPED: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
