// Who asks, and how: a key or a person who sees some workers, beside a key that sees all with the same fields.
import type { ProxyAuth } from "../../../../src/http/sign-in.ts";
import type { KeyAccess } from "../../../../src/store/store.ts";
import { formatDay, utcDayOf } from "../../../../src/time/day.ts";
import { addKey } from "../../../support/stores.ts";
import type { Call, Service } from "../../service.ts";
import { type Company, DEPARTMENTS, type Random } from "./company.ts";

export interface Row {
  readonly id: string;
  readonly workerId?: string;
  readonly [field: string]: unknown;
}

export interface Scene {
  readonly service: Service;
  readonly company: Company;
  readonly random: Random;
  /** A moment after each night, in epoch milliseconds. */
  readonly moments: readonly number[];
  /** Sees all workers and fields. */
  readonly all: Call;
  /** Sees all workers, no reasons. */
  readonly allWithoutReasons: Call;
}

export interface Asker {
  readonly call: Call;
  readonly visible: ReadonlySet<string>;
  /** A call that sees every worker, and of a worker the same. */
  readonly whole: Call;
  /** For a failure's message. */
  readonly label: string;
}

const GROUPS = ["self", "reports"] as const;

export const SIGN_IN: ProxyAuth = {
  userHeader: "x-forwarded-email",
  groupsHeader: "x-forwarded-groups",
  rules: GROUPS.map((access) => ({ group: access, companyId: "acme", access })),
};

export function anyAsker(scene: Scene): Promise<Asker> | Asker {
  return scene.random(3) === 0 ? anyPerson(scene) : anyKey(scene);
}

function anyPerson({ company, all }: Scene): Asker {
  const canSignIn = [...company.people].filter(([, { status }]) => status !== "inactive");
  const [id] = company.pick(canSignIn);
  const group = company.pick(GROUPS);
  return {
    call: {
      isFromProxy: true,
      headers: { "x-forwarded-email": `${id}@acme.example`, "x-forwarded-groups": group },
    },
    visible: new Set(group === "self" ? [id] : company.team(id)),
    whole: all,
    label: `${id} as ${group}`,
  };
}

async function anyKey({ service, company, random, all, allWithoutReasons }: Scene): Promise<Asker> {
  const level = company.pick(["everything", "no-reasons"] as const);
  const access: KeyAccess = {
    level,
    workers: random(2) === 0 ? [] : [company.anyWorker(), company.anyWorker()],
    departments: random(2) === 0 ? [] : [company.pick(DEPARTMENTS)],
    managers: [company.storedWorker(), company.anyWorker()].slice(random(2)),
  };
  return {
    call: { key: await addKey(service.writer, "acme", { access }) },
    visible: company.visibleTo(access),
    whole: level === "everything" ? all : allWithoutReasons,
    label: JSON.stringify(access),
  };
}

/** `knownOn` as a moment or a day; in one of four cases none. */
export function anyKnownOn({ company, random, moments }: Scene): string[] {
  if (random(4) === 0) return [];
  const moment = company.pick(moments);
  return [`knownOn=${random(3) === 0 ? formatDay(utcDayOf(moment)) : new Date(moment).toISOString()}`];
}

export function queryOf(parameters: readonly string[]): string {
  return parameters.length === 0 ? "" : `?${parameters.join("&")}`;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly link: string | null;
}

export async function ask(
  { service }: Scene,
  path: string,
  call: Call,
  accept = "application/json",
): Promise<Answer> {
  const { status, headers, body } = await service.raw(path, {
    ...call,
    headers: { ...call.headers, accept },
  });
  return { status, text: new TextDecoder().decode(body), link: headers.get("link") };
}

/** All rows of a list. Raises an Error at another status than 200. */
export async function allRows(scene: Scene, path: string, call: Call): Promise<Row[]> {
  const { status, text } = await ask(scene, path, call, "application/x-ndjson");
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}
