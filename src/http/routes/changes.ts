// The change feed, and positions as callers see them (docs/api.md, Changes).
import {
  CHANGE_RESOURCES,
  CHANGES_LIMIT_DEFAULT,
  type ChangeResource,
  listChanges,
  scopeOf,
} from "../../resources/changes.ts";
import { isId } from "../../resources/ids.ts";
import { LISTS } from "../../resources/kinds.ts";
import type { ParameterError, Values } from "../../resources/query.ts";
import type { Scope } from "../../resources/resource.ts";
import { END_STEP, rankOf, STEPS } from "../../store/change-notes.ts";
import type { ChangeEntry, ChangePosition } from "../../store/store.ts";
import { HttpProblem, invalidParameter } from "../problems.ts";
import { type Content, contentOf, envelope, type HandlerInput, type Route, route } from "./route.ts";

export const changesRoute: Route = route(listChanges, readPage, ({ after }) =>
  after === undefined || after === "now" || partsOf(after) !== null ? [] : [malformedPosition],
);

const malformedPosition: ParameterError = {
  parameter: "after",
  detail: "is not a position: send the `position` of an earlier response, or `now`",
};

async function readPage({
  company,
  values,
  scopes,
}: HandlerInput<Values<typeof listChanges.parameters>>): Promise<Content> {
  const resources = CHANGE_RESOURCES.filter((resource) => values.resources?.includes(resource) ?? true);
  const after = positionOf(values.after, resources);
  requireScopes(resources, scopes);
  const { limit = CHANGES_LIMIT_DEFAULT } = values;
  const page = await company.changes({ after, resources, limit });
  if (page === "gone") throw positionGone();
  const asOf = page.asOfMs === null ? null : new Date(page.asOfMs).toISOString();
  const more = JSON.stringify({
    position: positionText(page.position, values.resources ? resources : null),
    asOf,
  }).slice(1, -1);
  const content = contentOf(
    envelope({ docs: page.entries.map(entryJson), hasMore: page.hasMore }, `,${more}`),
    null,
    page.entries.length,
  );
  return { ...content, isIdle: page.entries.length === 0 && !page.hasMore };
}

/** An entry as JSON. `doc` already is JSON. */
function entryJson({ resource, id, removed, doc }: ChangeEntry): string {
  return `{"resource":"${resource}","id":${JSON.stringify(id)},"removed":${removed},"object":${doc ?? "null"}}`;
}

/** Raises a 403 unless the key may read every resource, so that nothing is missing silently. */
function requireScopes(resources: readonly ChangeResource[], scopes: readonly Scope[]): void {
  const refused = resources.filter((resource) => !scopes.includes(scopeOf(resource)));
  const [first] = refused;
  if (first === undefined) return;
  const allowed = CHANGE_RESOURCES.filter((resource) => scopes.includes(scopeOf(resource))).join(",");
  const instead = allowed === "" ? "" : ` It may ask for resources=${allowed}.`;
  throw new HttpProblem(
    "missing_scope",
    `This API key lacks the scope ${scopeOf(first)}, which ${refused.join(", ")} require.${instead}`,
  );
}

function positionGone(): HttpProblem {
  return new HttpProblem(
    "position_gone",
    "This position is gone: start again without `after`, and delete every object that is not sent.",
  );
}

// Positions ------------------------------------------------------------------------------------------------------------
//
// `p1_` and base64url of `<resources>.<kind>.<seq>.<mark>.<step>.<id>.<checksum>`. Resources are the requested ones, joined by `+`. If none
// were named, it is "all", which includes resources of later versions. The checksum only detects a truncated or mistyped position: a caller
// can write any, so the store checks the import and the mark.

const PREFIX = "p1_";
const FORM =
  /^([a-z_]+(?:\+[a-z_]+)*)\.([sbt])\.(0|[1-9]\d{0,14})\.([0-9a-f]{16})\.([a-z_-]+)\.([A-Za-z0-9_-]{0,68})$/;
const KINDS = { s: "scan", b: "scan-with-balances", t: "tail" } as const;
const LETTERS = { scan: "s", "scan-with-balances": "b", tail: "t" } as const;

function positionText(
  { kind, seq, mark, step, id }: ChangePosition,
  named: readonly ChangeResource[] | null,
): string {
  const parts = [named?.join("+") ?? "all", LETTERS[kind], seq, mark, step, id].join(".");
  return PREFIX + Buffer.from(`${parts}.${checksum(parts)}`).toString("base64url");
}

function checksum(parts: string): string {
  return Bun.hash.xxHash32(parts).toString(36);
}

/** Parses `after`. Raises a 400 for a position of other resources. */
function positionOf(
  text: string | undefined,
  resources: readonly ChangeResource[],
): ChangePosition | "now" | null {
  if (text === undefined) return null;
  if (text === "now") return "now";
  const parts = partsOf(text)!; // the route has checked its form
  const named = parts.resources === "all" ? CHANGE_RESOURCES.join(",") : parts.resources.replaceAll("+", ",");
  if (named !== resources.join(",")) {
    throw invalidParameter(
      "after",
      `is a position of resources=${named}: ask for the same resources, or start without \`after\``,
    );
  }
  return parts.position;
}

/** Parses exactly what `positionText` writes; null for anything else. */
function partsOf(text: string): { readonly resources: string; readonly position: ChangePosition } | null {
  if (!text.startsWith(PREFIX)) return null;
  const decoded = Buffer.from(text.slice(PREFIX.length), "base64url").toString();
  const end = decoded.lastIndexOf(".");
  const match = FORM.exec(decoded.slice(0, end));
  if (match === null || decoded.slice(end + 1) !== checksum(match[0])) return null;
  if (PREFIX + Buffer.from(decoded).toString("base64url") !== text) return null;
  const [, resources, letter, seq, mark, step, id] = match as unknown as [
    string,
    string,
    keyof typeof KINDS,
    string,
    string,
    string,
    string,
  ]; // the pattern has these groups
  const position = { kind: KINDS[letter], seq: Number(seq), mark, step, id };
  return isPossible(position) ? { resources, position } : null;
}

/** Whether a page can end here. A scan's page ends within a resource; a tail's, at an entry or at the end of an import. */
function isPossible({ kind, seq, step, id }: ChangePosition): boolean {
  if (kind === "tail" && step === END_STEP) return id === "";
  const resource = STEPS[rankOf(step)];
  if (resource === undefined || seq === 0) return false;
  if (kind === "tail") return isIdOf(resource.resource, id);
  return !resource.isOfGone && (id === "" || isIdOf(resource.resource, id));
}

function isIdOf(resource: ChangeResource, id: string): boolean {
  if (resource === "balances") return isId("worker", id) || isId("policy", id);
  return isId(LISTS[resource].idKind, id);
}
