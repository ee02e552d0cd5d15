// Workers for an identity provider that takes users in bulk, as API-driven provisioning of Microsoft Entra does (RFC 7644, 3.7):
//
//   rollcall follow --resources workers --position-file ./position --exec 'node bulk.mjs'
//
// SCIM_BULK is the address, SCIM_TOKEN the token; without SCIM_BULK it prints the documents. It reads entries of the change feed, and
// ends with 1 if the provider refuses a document: then the position is not stored, and the same workers come again.
const { SCIM_BULK, SCIM_TOKEN } = process.env;

/** More operations in a document are refused by some identity providers. */
const OPERATIONS_MAX = 50;
const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

/** A worker as a user of SCIM (RFC 7643); of one who is removed, only that the account is to be closed. */
function userOf(id, worker) {
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

let input = "";
for await (const chunk of process.stdin) input += chunk;
const operations = input
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line))
  .filter(({ resource }) => resource === "workers")
  .map(({ id, object }) => ({ method: "POST", bulkId: id, path: "/Users", data: userOf(id, object) }));
for (let at = 0; at < operations.length; at += OPERATIONS_MAX) {
  const schemas = ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"];
  const body = JSON.stringify({ schemas, Operations: operations.slice(at, at + OPERATIONS_MAX) });
  if (!SCIM_BULK) {
    console.log(body);
    continue;
  }
  const headers = { authorization: `Bearer ${SCIM_TOKEN}`, "content-type": "application/scim+json" };
  const response = await fetch(SCIM_BULK, { method: "POST", headers, body });
  if (!response.ok)
    throw new Error(`${SCIM_BULK} responded with ${response.status}: ${await response.text()}`);
}
