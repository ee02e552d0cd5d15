// What the page has before it asks the API: its server's configuration, and the key of this tab.
import { isRollcallError, type RollcallError } from "../client/index.ts";
import { Transport } from "../client/transport.ts";
import type { Day } from "../time/day.ts";
import { BASE_PATH, SERVER } from "./address.ts";
import { storedDay } from "./data/days.ts";

export interface PageConfig {
  /** The server holds invented data only: a link may carry its key. */
  readonly demo: boolean;
  /** The day the server computes for, where it was given one. */
  readonly today: Day | null;
  /** A proxy in front signs people in: no key may be needed. */
  readonly hasProxySignIn: boolean;
  /** The server lets who is signed in and sees everything make calendar feeds. */
  readonly allowsFeeds: boolean;
}

/** What somebody who is signed in may see; a key's scopes say it for keys. */
export type Access = (typeof ACCESSES)[number];

/** With the last four, the server's lists have the person alone, or the people below them, too. */
const ACCESSES = [
  "everything",
  "no-reasons",
  "away",
  "self",
  "self+away",
  "reports",
  "reports+away",
] as const;

/** Whose rows the server's lists have. */
export function visibleWorkers(access: Access): "nobody" | "self" | "reports" | "company" {
  if (access === "away") return "nobody";
  if (access.startsWith("self")) return "self";
  return access.startsWith("reports") ? "reports" : "company";
}

/** Whether the person sees who is away in the whole company. */
export const seesAway = (access: Access) => access !== "self" && access !== "reports";

/** Who looks: what they may see, and which worker they are; null if none, as for keys. */
export interface Viewer {
  readonly access: Access;
  readonly workerId: string | null;
}

/** The person whom the proxy has signed in; null for nobody. `refusal`: what is said to who may see nothing. */
export async function loadViewer(): Promise<{ viewer: Viewer | null; refusal: string | null }> {
  try {
    return { viewer: await viewerNow(), refusal: null };
  } catch (error) {
    return { viewer: null, refusal: isRollcallError(error, "missing_scope") ? error.detail : null };
  }
}

/** Whether the proxy, or the server behind it, does not know the person any more. A failure on the way does not mean it. */
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

/** Whether a proxy responded instead of the server, and not with an error: it redirects, refuses, or sends a page to sign in. */
export function isSomebodyElses({ code, status }: RollcallError): boolean {
  return code === "unexpected_answer" && (status ?? 0) < 500;
}

async function viewerNow(): Promise<Viewer | null> {
  const transport = new Transport({ baseUrl: SERVER, apiKey: null });
  type Session = Partial<Record<keyof Viewer, unknown>>;
  const { access: named, workerId } = await transport.get<Session>("/web/session.json", {});
  const access = ACCESSES.find((each) => each === named);
  if (access === undefined) return null;
  return { access, workerId: typeof workerId === "string" ? workerId : null };
}

export async function loadConfig(): Promise<PageConfig> {
  try {
    const response = await fetch(`${BASE_PATH}/web/config.json`);
    const config = (await response.json()) as Partial<Record<keyof PageConfig, unknown>>;
    return {
      demo: config.demo === true,
      today: storedDay(typeof config.today === "string" ? config.today : null),
      hasProxySignIn: config.hasProxySignIn === true,
      allowsFeeds: config.allowsFeeds === true,
    };
  } catch {
    return { demo: false, today: null, hasProxySignIn: false, allowsFeeds: false };
  }
}

/** The key is stored for this tab only. */
const STORED = "rollcall.key";
const CARRIED = /^#key=(rk_[A-Za-z0-9]+)$/;

export const storedKey = (): string | null => sessionStorage.getItem(STORED);

export function storeKey(key: string | null): void {
  if (key === null) sessionStorage.removeItem(STORED);
  else sessionStorage.setItem(STORED, key);
}

/** The key in the address's fragment, which is removed at once: it must not stay in the history or be copied on. */
export function takeKeyFromAddress(): string | null {
  const { hash, pathname, search } = window.location;
  if (!hash.startsWith("#key=")) return null;
  window.history.replaceState(window.history.state, "", pathname + search);
  return CARRIED.exec(hash)?.[1] ?? null;
}
