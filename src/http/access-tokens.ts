// Access tokens of the company's own identity provider. People sign in there, and their assistant sends the token (docs/assistants.md,
// Sign in by OAuth). A token is a JWT, verified with the provider's published keys. Rollcall issues none.
import type { JWTVerifyGetKey } from "jose";
import { z } from "zod";
import type { ProblemCode } from "../resources/problems.ts";
import { HttpProblem, ProviderUnavailable } from "./problems.ts";
import type { PublicResponse } from "./request-context.ts";
import { type ClaimNames, type GroupRule, namedIn, personOf, type SignedIn, scopesFor } from "./sign-in.ts";

export interface TokenAuth {
  /** The identity provider, as its metadata and tokens spell it. */
  readonly issuer: string;
  /** The address of `/mcp` as assistants use it. A token for anything else is refused (RFC 8707). */
  readonly audience: string;
  /** The first rule that matches decides. */
  readonly rules: readonly GroupRule[];
  readonly claims: ClaimNames;
  readonly contact: string | null;
}

/** Asymmetric algorithms only: no shared secret, and not "none". */
const ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

/** The types of access tokens: `jwt` as most providers write it, and `at+jwt` (RFC 9068). Logout tokens and proofs are refused. */
const TOKEN_TYPE = /^(?:application\/)?(?:at\+)?jwt$/i;

export const PROVIDER_TIMEOUT_MS = 5000;

/** How often keys are read again, and how long the old ones are used if that fails. No withdrawn key works longer. */
const [KEYS_READ_EVERY_MS, KEYS_COUNT_MS] = [600_000, 86_400_000];

/** The error code of a challenge (RFC 6750, 3.1). A person without a rule gets none, because signing in again would not help. */
const BEARER_ERRORS: Partial<Record<ProblemCode, string>> = {
  missing_api_key: "",
  invalid_api_key: 'error="invalid_token", ',
  invalid_token: 'error="invalid_token", ',
};

const METADATA_PATH = "/.well-known/oauth-protected-resource";
/** Where programs read how to get a token (RFC 9728): for `/mcp`, and for programs that ask at the root. */
export const METADATA_PATHS = [`${METADATA_PATH}/mcp`, METADATA_PATH] as const;

export class AccessTokens {
  #keys: Promise<JWTVerifyGetKey> | null = null;

  readonly #scopes: readonly string[];

  constructor(readonly auth: TokenAuth) {
    this.#scopes = scopesFor(auth.rules, auth.claims);
  }

  /** The person of a token. Raises a 401 for an invalid token, a 403 for a person without a rule, and ProviderUnavailable. */
  async person(token: string): Promise<SignedIn> {
    const claims = await this.#verified(token);
    const challenge = this.#challenge('error="insufficient_scope", ');
    const { user, groups } = namedIn(claims, this.auth, "the access token", challenge);
    return personOf(user, groups, this.auth.rules, this.auth.contact);
  }

  async #verified(token: string): Promise<Readonly<Record<string, unknown>>> {
    const { errors, jwtVerify } = await import("jose");
    const { issuer, audience } = this.auth;
    const key: JWTVerifyGetKey = async (header, jws) => {
      try {
        return await (await this.#discovered())(header, jws);
      } catch (error) {
        if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
          throw error;
        throw new ProviderUnavailable("The keys of the identity provider cannot be read", { cause: error });
      }
    };
    try {
      const { payload, protectedHeader } = await jwtVerify(token, key, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ["exp"],
        clockTolerance: 10, // seconds between the provider's clock and ours
      });
      if (!TOKEN_TYPE.test(protectedHeader.typ ?? "JWT"))
        throw invalidToken("is of another type than JWT and at+jwt");
      // Such a token requires a proof that its sender has this key (RFC 7800).
      if (payload.cnf !== undefined) throw invalidToken("is bound to a key, and a Bearer token proves none");
      return payload;
    } catch (error) {
      if (error instanceof TypeError)
        throw new ProviderUnavailable("A key of the identity provider is too weak", { cause: error });
      if (!(error instanceof errors.JOSEError)) throw error;
      if (error instanceof errors.JWTExpired) throw invalidToken("has expired");
      if (error instanceof errors.JWTClaimValidationFailed)
        throw invalidToken(`is not for this server: its claim ${error.claim} is missing or another`);
      throw invalidToken("is not a JWT that is signed with a key of the identity provider");
    }
  }

  /** The provider's keys, read when a token first needs one. */
  #discovered(): Promise<JWTVerifyGetKey> {
    this.#keys ??= discover(this.auth.issuer).catch((error: unknown) => {
      this.#keys = null;
      throw error;
    });
    return this.#keys;
  }

  /** The error, with a challenge that tells an assistant how to sign in where that would help. */
  challenged(error: unknown): unknown {
    if (!(error instanceof HttpProblem)) return error;
    const bearer = BEARER_ERRORS[error.code];
    if (bearer === undefined) return error;
    const headers = { ...error.extra.headers, ...this.#challenge(bearer) };
    return new HttpProblem(error.code, error.detail, { ...error.extra, headers });
  }

  #challenge(bearer: string): Readonly<Record<string, string>> {
    const metadata = this.auth.audience.replace(/\/mcp$/, METADATA_PATHS[0]);
    const scopes = this.#scopes.join(" ");
    return { "www-authenticate": `Bearer ${bearer}scope="${scopes}", resource_metadata="${metadata}"` };
  }

  /** The metadata from which a program learns how to get a token (RFC 9728); null at any other path. */
  metadata(path: string): PublicResponse | null {
    if (!METADATA_PATHS.some((known) => known === path)) return null;
    const { issuer, audience } = this.auth;
    const body = JSON.stringify({
      resource: audience,
      resource_name: "Rollcall",
      authorization_servers: [issuer],
      scopes_supported: this.#scopes,
      bearer_methods_supported: ["header"],
    });
    const headers = { "content-type": "application/json", "cache-control": "no-cache" };
    return { status: 200, headers, body };
  }
}

function invalidToken(why: string): HttpProblem {
  return new HttpProblem("invalid_token", `The access token ${why}: sign in again.`);
}

/** Finds where the provider publishes its keys (OpenID Connect Discovery, 4). */
async function discover(issuer: string): Promise<JWTVerifyGetKey> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS) });
  if (response.status !== 200) throw new Error(`${url} responded with ${response.status}`);
  const protocol = new RegExp(`^${new URL(issuer).protocol.slice(0, -1)}$`);
  const metadata = z.object({ issuer: z.literal(issuer), jwks_uri: z.url({ protocol }) });
  const { jwks_uri } = metadata.parse(await response.json());
  const { createRemoteJWKSet } = await import("jose");
  const options = { timeoutDuration: PROVIDER_TIMEOUT_MS, cacheMaxAge: KEYS_COUNT_MS };
  const keys = createRemoteJWKSet(new URL(jwks_uri), options); // an unknown key also makes it read them again
  let askedAtMs = performance.now();
  return async (header, token) => {
    if (performance.now() - askedAtMs > KEYS_READ_EVERY_MS) {
      askedAtMs = performance.now();
      await keys.reload().catch(() => {}); // the keys that were read stay valid
    }
    return keys(header, token);
  };
}
