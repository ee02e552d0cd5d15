// What the page knows before its first request to the API: the server's settings, and this tab's key.
import { isRollcallError, type RollcallError } from "../client/index.ts";
import { Transport } from "../client/transport.ts";
import type { Day } from "../time/day.ts";
import { BASE_PATH, SERVER } from "./address.ts";
import { storedDay } from "./data/days.ts";

export interface PageConfig {
  /** Whether the server has only made-up data: then a link may carry its key. */
  readonly demo: boolean;
  /** The server's fixed day, if it has one. */
  readonly today: Day | null;
  /** How people sign in: through a proxy in front, or at an identity provider; null if only with keys. */
  readonly signIn: "proxy" | "provider" | null;
  /** The address at which the proxy in front signs people out; null if unknown. */
  readonly proxySignOut: string | null;
  /** Whether signed-in people who see everything may make calendar feeds. */
  readonly allowsFeeds: boolean;
}

/** The access level of a signed-in person. Keys have scopes instead. */
export type Access = (typeof ACCESSES)[number];

/** With `self`, lists contain only the person; with `reports`, also everybody who reports to the person. */
const ACCESSES = [
  "everything",
  "no-reasons",
  "away",
  "self",
  "self+away",
  "reports",
  "reports+away",
] as const;

/** Which workers' rows this access level can read. */
export function visibleWorkers(access: Access): "nobody" | "self" | "reports" | "company" {
  if (access === "away") return "nobody";
  if (access.startsWith("self")) return "self";
  return access.startsWith("reports") ? "reports" : "company";
}

/** Whether the person sees who is away in the whole company. */
export const seesAway = (access: Access) => access !== "self" && access !== "reports";

/** The viewer: access level, name and worker id. The last two are null for keys. */
export interface Viewer {
  readonly access: Access;
  readonly user: string | null;
  readonly workerId: string | null;
}

/** The signed-in person; null for nobody. `refusal`: the error if that cannot be known, or if the person has no access. */
export async function loadViewer(): Promise<{ viewer: Viewer | null; refusal: RollcallError | null }> {
  try {
    return { viewer: await viewerNow(), refusal: null };
  } catch (error) {
    const isNobody = !isRollcallError(error) || error.status === 401 || isSomebodyElses(error);
    return { viewer: null, refusal: isNobody ? null : error };
  }
}

/** Whether the proxy or the server says that the sign-in has ended. A failed request says nothing. */
export async function hasSignInEnded(): Promise<boolean> {
  try {
    return (await viewerNow()) === null;
  } catch (error) {
    return (
      isRollcallError(error, "missing_api_key", "invalid_api_key") ||
      (isRollcallError(error) && isSomebodyElses(error))
    );
  }
}

/** Whether a proxy responded instead of the server: with a redirect, a refusal or a sign-in page. */
export function isSomebodyElses({ code, status }: RollcallError): boolean {
  return code === "unexpected_answer" && (status ?? 0) < 500;
}

async function viewerNow(): Promise<Viewer | null> {
  const transport = new Transport({ baseUrl: SERVER, apiKey: null });
  type Session = Partial<Record<keyof Viewer, unknown>>;
  const { access: named, user, workerId } = await transport.get<Session>("/web/session.json", {});
  const access = ACCESSES.find((each) => each === named);
  if (access === undefined) return null;
  return { access, user: textOrNull(user), workerId: textOrNull(workerId) };
}

const textOrNull = (value: unknown) => (typeof value === "string" ? value : null);

/** The address for signing in at the provider, which then redirects to this view. */
export function signInAddress(): string {
  const { pathname, search } = window.location;
  return `${BASE_PATH}/sign-in?to=${encodeURIComponent(pathname.slice(BASE_PATH.length) + search)}`;
}

/** Signs out here, and at the provider where that is possible. */
export async function signOutAtProvider(): Promise<void> {
  let to: string | null = null;
  try {
    const response = await fetch(`${BASE_PATH}/sign-out`, { method: "POST" });
    ({ to } = (await response.json()) as { to: string | null }); // as src/http/provider-sign-in.ts sends it
  } finally {
    window.location.assign(to ?? `${BASE_PATH}/`); // the start page shows whether anybody is signed in
  }
}

/** Removes the reason of a failed sign-in from the address, where the server wrote it, and returns it. */
export function takeFailureFromAddress(): string | null {
  const url = new URL(window.location.href);
  const failure = url.searchParams.get("signIn");
  if (failure === null) return null;
  url.searchParams.delete("signIn");
  window.history.replaceState(window.history.state, "", url);
  return failure;
}

export async function loadConfig(): Promise<PageConfig> {
  try {
    const response = await fetch(`${BASE_PATH}/web/config.json`);
    const config = (await response.json()) as Partial<Record<keyof PageConfig, unknown>>;
    return {
      demo: config.demo === true,
      today: storedDay(textOrNull(config.today)),
      signIn: config.signIn === "proxy" || config.signIn === "provider" ? config.signIn : null,
      proxySignOut: textOrNull(config.proxySignOut),
      allowsFeeds: config.allowsFeeds === true,
    };
  } catch {
    return { demo: false, today: null, signIn: null, proxySignOut: null, allowsFeeds: false };
  }
}

/** The key is stored only for this tab. */
const STORED = "rollcall.key";
const CARRIED = /^#key=(rk_[A-Za-z0-9]+)$/;

export const storedKey = (): string | null => sessionStorage.getItem(STORED);

export function storeKey(key: string | null): void {
  if (key === null) sessionStorage.removeItem(STORED);
  else sessionStorage.setItem(STORED, key);
}

/** Takes the key from the fragment of the address. Removes it there at once, so that it is neither copied nor kept in the history. */
export function takeKeyFromAddress(): string | null {
  const { hash, pathname, search } = window.location;
  if (!hash.startsWith("#key=")) return null;
  window.history.replaceState(window.history.state, "", pathname + search);
  return CARRIED.exec(hash)?.[1] ?? null;
}
