// People sign in at their company's identity provider, without a proxy: OpenID Connect's code flow with PKCE (docs/security.md, Sign-in
// without a proxy). Only a sealed cookie says who somebody is: the server stores no sessions.
import { createHash } from "node:crypto";
import type { Configuration } from "openid-client";
import { z } from "zod";
import type { LoggedText, Observe } from "../observe.ts";
import { routePattern } from "../resources/resource.ts";
import { PROVIDER_TIMEOUT_MS } from "./access-tokens.ts";
import { addressShare, type FailureLimit } from "./middleware/rate-limit.ts";
import { HttpProblem, loggedError, requireOwnPage, requirePost, requireReading } from "./problems.ts";
import { loggedId, type RequestContext, respond } from "./request-context.ts";
import {
  type ClaimNames,
  decidingGroups,
  type GroupRule,
  namedIn,
  neededClaims,
  personOf,
  type SignedIn,
  scopesFor,
} from "./sign-in.ts";

export interface ProviderAuth {
  /** The identity provider, as its metadata spells it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client, which PKCE alone authenticates. */
  readonly clientSecret: string | null;
  /** Where people open the page: scheme, host and port. */
  readonly origin: string;
  /** Seals the cookies: 32 bytes, the same for all servers that accept each other's cookies. */
  readonly sessionKey: Uint8Array;
  readonly sessionMs: number;
  /** The first rule that matches decides. */
  readonly rules: readonly GroupRule[];
  readonly claims: ClaimNames;
  /** Whom people may ask for more access; null for the operator. */
  readonly contact: string | null;
}

/** The paths of sign-in, of the provider's redirect back, and of sign-out. */
const [BEGIN, BACK, END] = [routePattern("/sign-in"), routePattern("/signed-in"), routePattern("/sign-out")];
export const SIGN_IN_PATTERNS = [BEGIN, BACK, END] as const;

/** How long people may take at the provider. */
const BEGUN_MS = 600_000;

/** Seconds between the provider's clock and ours. */
const CLOCK_TOLERANCE_SECONDS = 10;

/** A sign-in that began. The provider's response must match it. `to`: where to go afterwards, below the base path. */
const begunSchema = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() });

const sessionSchema = z.object({ user: z.string(), groups: z.array(z.string()) });

/** Why a sign-in failed; the page has words for it (`signIn.failed.…`). */
type Failure = "expired" | "refused" | "unnamed" | "unavailable";

/** Errors of openid-client for a response to no sign-in that began here, or to one that is too old. */
const NOT_BEGUN = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
]);

/** A path below the origin and the base path. A longer one does not fit into a cookie. */
const LOCAL_PATH = /^\/[!-~]{0,1500}$/;

export interface SignInParts {
  readonly observe: Observe;
  readonly failureLimit: FailureLimit | null;
}

export class ProviderSignIn {
  #discovered: Promise<Configuration> | null = null;

  /** A server with other rules or another client cannot read the cookies of this one. */
  readonly #audience: string;

  constructor(readonly auth: ProviderAuth) {
    const { issuer, clientId, rules, claims } = auth;
    this.#audience = createHash("sha256")
      .update(JSON.stringify([issuer, clientId, rules, claims]))
      .digest("base64url");
  }

  /** Who is signed in; null for nobody, as with a cookie that is old, altered or another server's. Raises a 403 if no rule lets them in. */
  async person(context: RequestContext): Promise<SignedIn | null> {
    const session = await this.#open("session", sessionSchema, context);
    if (session === null) return null;
    return personOf(session.user, session.groups, this.auth.rules, this.auth.contact);
  }

  /** Responds at a path of the sign-in; null at any other. */
  async respond(parts: SignInParts, context: RequestContext): Promise<Response | null> {
    const route = SIGN_IN_PATTERNS.find((pattern) => pattern === context.path);
    if (route === undefined) return null;
    context.route = route;
    context.headers["cache-control"] = "no-store";
    if (route === END) return this.#signOut(context);
    requireReading(context.method, false);
    return route === BEGIN ? this.#begin(parts, context) : this.#finish(parts, context);
  }

  /** Redirects to the provider. */
  async #begin(parts: SignInParts, context: RequestContext): Promise<Response> {
    const oidc = await import("openid-client");
    const wanted = new URLSearchParams(context.query).get("to") ?? "";
    const begun = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      to: this.#isLocal(context, wanted) ? wanted : "/",
    };
    try {
      const provider = await this.#provider();
      const { rules, claims } = this.auth;
      const known = provider.serverMetadata().scopes_supported ?? [];
      // Some providers refuse a scope that they do not know, and few know groups.
      const scopes = scopesFor(rules, claims).filter((scope) => scope !== "groups" || known.includes(scope));
      const address = oidc.buildAuthorizationUrl(provider, {
        redirect_uri: this.#address(context, BACK),
        scope: scopes.join(" "),
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(begun.verifier),
        code_challenge_method: "S256",
      });
      const cookie = await this.#cookie("begun", begun, BEGUN_MS, context);
      return led(context, address.href, [cookie]);
    } catch (error) {
      return this.#failed(parts, context, error, begun.to);
    }
  }

  /** Reads the provider's response, and redirects to where the person was going. */
  async #finish(parts: SignInParts, context: RequestContext): Promise<Response> {
    const oidc = await import("openid-client");
    const begun = await this.#open("begun", begunSchema, context);
    if (begun === null || begun.state !== new URLSearchParams(context.query).get("state")) {
      // Another tab has signed in meanwhile, or began later: its sign-in goes on.
      const isSignedIn = (await this.#open("session", sessionSchema, context)) !== null;
      if (isSignedIn) return led(context, this.#address(context, "/"), []);
      return this.#failed(parts, context, null, "/", []);
    }
    try {
      const provider = await this.#provider();
      const back = new URL(`${this.#address(context, BACK)}?${context.query}`);
      const tokens = await oidc.authorizationCodeGrant(provider, back, {
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        pkceCodeVerifier: begun.verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!; // an ID token is expected
      const { rules, claims: names, clientId } = this.auth;
      // The library compares `azp` only if there are several audiences (OpenID Connect Core, 3.1.3.7).
      if ((claims.azp ?? clientId) !== clientId)
        throw new HttpProblem("missing_scope", "The claim azp of the ID token names another client.");
      const isWhole = neededClaims(rules, names).every((name) => name in claims);
      const more: Readonly<Record<string, unknown>> =
        isWhole || provider.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub);
      const { [names.address]: address } = claims;
      // The ID token and the userinfo each vouch only for their own address, so two different ones are refused.
      if (address !== undefined && inLowerCase(more[names.address] ?? address) !== inLowerCase(address))
        throw new HttpProblem(
          "missing_scope",
          `The claim ${names.address} of the ID token and of the userinfo differ.`,
        );
      const all: Readonly<Record<string, unknown>> = { ...more, ...claims };
      const { email_verified } = address === undefined ? more : all; // an ID token without an address verifies none
      const { user, groups } = namedIn({ ...all, email_verified }, this.auth, "the identity provider");
      const session = { user, groups: decidingGroups(user, groups, rules) };
      return led(context, this.#address(context, begun.to), [
        await this.#cookie("session", session, this.auth.sessionMs, context),
        this.#noCookie("begun", context),
      ]);
    } catch (error) {
      return this.#failed(parts, context, error, begun.to);
    }
  }

  /** Ends the session here. Responds with the address that ends it at the provider; null if there is none. */
  async #signOut(context: RequestContext): Promise<Response> {
    requirePost(context.method, false);
    requireOwnPage(context.request, "sign out");
    const to = await this.#provider().then(
      async (provider) =>
        provider.serverMetadata().end_session_endpoint === undefined
          ? null
          : (await import("openid-client")).buildEndSessionUrl(provider, {
              post_logout_redirect_uri: this.#address(context, "/"),
            }).href,
      () => null, // without the provider, people sign out here only
    );
    context.headers["content-type"] = "application/json";
    context.headers["set-cookie"] = this.#noCookie("session", context);
    return respond(context, 200, JSON.stringify({ to }));
  }

  /** Redirects to the page, which says why the sign-in failed. The log has the error. */
  async #failed(
    { observe, failureLimit }: SignInParts,
    context: RequestContext,
    error: unknown,
    to: string,
    cookies: readonly string[] = [this.#noCookie("begun", context)],
  ): Promise<Response> {
    const why = await failureOf(error);
    const reason = await loggedReason(error);
    if (reason !== null) observe({ kind: "notSignedIn", requestId: loggedId(context), reason });
    else if (error !== null) {
      const ids = { requestId: loggedId(context), traceId: context.trace?.traceId ?? null };
      observe({ kind: "unavailable", ...ids, error: loggedError(error, context) });
    }
    if (why !== "unavailable") {
      const limited = (await failureLimit?.failed(addressShare(context.connection.address()))) ?? null;
      if (limited !== null) throw limited;
    }
    const address = new URL(this.#address(context, to));
    address.searchParams.set("signIn", why);
    return led(context, address.href, cookies);
  }

  /** The provider's metadata: read at the first sign-in, and again after a failure. */
  #provider(): Promise<Configuration> {
    this.#discovered ??= discover(this.auth).catch((error: unknown) => {
      this.#discovered = null;
      throw error;
    });
    return this.#discovered;
  }

  /** Whether a path leads to this server: segments such as `..` could leave the base path. */
  #isLocal(context: RequestContext, path: string): boolean {
    if (!LOCAL_PATH.test(path)) return false;
    return new URL(this.#address(context, path)).href.startsWith(this.#address(context, "/"));
  }

  #address({ basePath }: RequestContext, path: string): string {
    return this.auth.origin + basePath + path;
  }

  // Cookies. Over HTTPS their names begin with `__Host-`, so that no other host can set them. Without HTTPS, browsers refuse such names.

  #isSecure(): boolean {
    return this.auth.origin.startsWith("https:");
  }

  #name(kind: "begun" | "session", { basePath }: RequestContext): string {
    return `${this.#isSecure() ? "__Host-" : ""}rollcall-${kind}${basePath.replaceAll("/", "-")}`;
  }

  async #cookie(kind: "begun" | "session", content: object, forMs: number, context: RequestContext) {
    const { EncryptJWT } = await import("jose");
    const sealed = await new EncryptJWT({ ...content })
      .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
      .setAudience(`${kind} ${this.#audience}`)
      .setExpirationTime(new Date(Date.now() + forMs))
      .encrypt(this.auth.sessionKey);
    return this.#setCookie(kind, sealed, Math.floor(forMs / 1000), context);
  }

  #noCookie(kind: "begun" | "session", context: RequestContext): string {
    return this.#setCookie(kind, "", 0, context);
  }

  #setCookie(kind: "begun" | "session", value: string, seconds: number, context: RequestContext): string {
    const secure = this.#isSecure() ? "; Secure" : "";
    return `${this.#name(kind, context)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
  }

  /** What a cookie holds; null if there is none, or it is old, altered, of another kind or sealed by another key. */
  async #open<T>(
    kind: "begun" | "session",
    schema: z.ZodType<T>,
    context: RequestContext,
  ): Promise<T | null> {
    const sealed = new Bun.CookieMap(context.request.headers.get("cookie") ?? "").get(
      this.#name(kind, context),
    );
    if (sealed === null) return null;
    const { errors, jwtDecrypt } = await import("jose");
    try {
      const { payload } = await jwtDecrypt(sealed, this.auth.sessionKey, {
        audience: `${kind} ${this.#audience}`,
        requiredClaims: ["exp"],
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
      });
      return schema.parse(payload);
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }
}

/** A claim with its ASCII letters in lower case. Other letters stay: folding them could make one person's address another's. */
function inLowerCase(claim: unknown): string {
  return String(claim).replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A redirect, which browsers follow with a GET (RFC 9110, 15.4.4). */
function led(context: RequestContext, to: string, cookies: readonly string[]): Response {
  context.headers.location = to;
  context.headers["referrer-policy"] = "no-referrer";
  const response = respond(context, 303, null);
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}

/** `error`: null if nothing was begun. */
async function failureOf(error: unknown): Promise<Failure> {
  if (error === null) return "expired";
  if (error instanceof HttpProblem) return "unnamed";
  const { AuthorizationResponseError, ClientError, ResponseBodyError } = await import("openid-client");
  if (error instanceof AuthorizationResponseError) return "refused";
  if (error instanceof ResponseBodyError) return error.error === "invalid_grant" ? "expired" : "unavailable";
  return error instanceof ClientError && NOT_BEGUN.has(error.code ?? "") ? "expired" : "unavailable";
}

/** What the log says of a sign-in that the provider or its claims refused; null for any other. */
async function loggedReason(error: unknown): Promise<LoggedText | null> {
  if (error instanceof HttpProblem) return error.detail as LoggedText; // it names claims alone
  const { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } = await import(
    "openid-client"
  );
  let given: string | undefined;
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) given = error.error;
  else if (error instanceof WWWAuthenticateChallengeError) given = error.cause[0]?.parameters.error;
  else return null;
  const code = /^[a-z_]{1,40}$/.test(given ?? "") ? given : "unknown"; // a code, and nothing else that was sent
  return `The identity provider responded with the error ${code}.` as LoggedText;
}

/** RFC 6749, 2.3.1. The library also encodes `-`, `.`, `_` and `~`, which some providers do not decode. */
function basic(clientId: string, clientSecret: string): string {
  return `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`;
}

async function discover({ issuer, clientId, clientSecret }: ProviderAuth): Promise<Configuration> {
  const oidc = await import("openid-client");
  const prove: Parameters<typeof oidc.discovery>[3] = (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    if (clientSecret === null) oidc.None()(server, client, body, headers);
    else if (methods.includes("client_secret_basic"))
      headers.set("authorization", basic(clientId, clientSecret));
    else oidc.ClientSecretPost(clientSecret)(server, client, body, headers);
  };
  const isPlain = issuer.startsWith("http:"); // on this machine alone
  return oidc.discovery(
    new URL(issuer),
    clientId,
    { [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
    prove,
    {
      timeout: PROVIDER_TIMEOUT_MS / 1000,
      execute: [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])],
    },
  );
}
