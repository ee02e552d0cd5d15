// Access tokens of the company's own identity provider: people sign in there, and their assistant sends what it got (docs/assistants.md,
// Sign in by OAuth). A token is a JWT; the provider's published keys say whether it is real. Rollcall issues none.
import type { JWTVerifyGetKey } from "jose";
import { z } from "zod";
import { emailSchema } from "../resources/cells.ts";
import type { ProblemCode } from "../resources/problems.ts";
import { HttpProblem, ProviderUnavailable } from "./problems.ts";
import type { PublicResponse } from "./request-context.ts";
import { type GroupRule, personOf, type SignedIn } from "./sign-in.ts";

export interface TokenAuth {
  /** The identity provider, as its metadata and tokens spell it. */
  readonly issuer: string;
  /** The address of `/mcp` as assistants use it. A token for anything else is refused (RFC 8707). */
  readonly audience: string;
  /** The first that fits decides. */
  readonly rules: readonly GroupRule[];
  readonly contact: string | null;
}

/** Signatures that only the provider can make: none of a secret that is shared, and not "none". */
const ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

/** `application/jwt` as most providers write it, and that of access tokens (RFC 9068): never that of a logout or a proof. */
const TOKEN_TYPE = /^(?:application\/)?(?:at\+)?jwt$/i;

const PROVIDER_TIMEOUT_MS = 5000;

/** How often keys are read again, and how long they count where that fails. A key that the provider took back counts as long, at most. */
const [KEYS_READ_EVERY_MS, KEYS_COUNT_MS] = [600_000, 86_400_000];

/** With these, providers put `email`, `email_verified` and, where rules name groups, `groups` into a token. */
const scopesFor = (rules: readonly GroupRule[]) => [
  ...["openid", "email"],
  ...(rules.some(({ group }) => group !== "*" && !group.includes("@")) ? ["groups"] : []),
];

/** What a challenge begins with (RFC 6750, 3.1). A person without a rule gets none: signing in again would change nothing. */
const BEARER_ERRORS: Partial<Record<ProblemCode, string>> = {
  missing_api_key: "",
  invalid_api_key: 'error="invalid_token", ',
  invalid_token: 'error="invalid_token", ',
};

const METADATA_PATH = "/.well-known/oauth-protected-resource";
/** Where RFC 9728 lets programs ask for what they need to get a token: for `/mcp`, and for those that ask at the root. */
export const METADATA_PATHS = [`${METADATA_PATH}/mcp`, METADATA_PATH] as const;

/** One name, or a list of them: nothing else is taken for a group. */
const groupsSchema = z.union([z.string(), z.array(z.string())]);

export class AccessTokens {
  #keys: Promise<JWTVerifyGetKey> | null = null;

  readonly #scopes: readonly string[];

  constructor(readonly auth: TokenAuth) {
    this.#scopes = scopesFor(auth.rules);
  }

  /** Whom the token names. Raises a 401 or 403 for one that is not valid or lets nobody in, and ProviderUnavailable. */
  async person(token: string): Promise<SignedIn> {
    const { email, email_verified: isVerified, groups = [] } = await this.#verified(token);
    const named = groupsSchema.safeParse(groups);
    if (!named.success)
      throw new HttpProblem(
        "missing_scope",
        "The claim groups of the access token is no name and no list of names.",
      );
    // Whoever could choose their address would choose somebody else's.
    if (isVerified !== true || !emailSchema.safeParse(email).success) {
      const headers = email === undefined ? this.#challenge('error="insufficient_scope", ') : {};
      throw new HttpProblem(
        "missing_scope",
        "The access token names nobody: it needs the claims email and email_verified, and the latter must be true.",
        { headers },
      );
    }
    return personOf(String(email), [named.data].flat(), this.auth.rules, this.auth.contact);
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
      // It may be used only by who proves to have the key (RFC 7800).
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

  /** The provider's keys: read when a token needs one. */
  #discovered(): Promise<JWTVerifyGetKey> {
    this.#keys ??= discover(this.auth.issuer).catch((error: unknown) => {
      this.#keys = null;
      throw error;
    });
    return this.#keys;
  }

  /** The error, telling an assistant how to sign in where that would help. */
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

  /** What a program needs to get a token (RFC 9728); null at any other path. */
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

/** Reads where the provider publishes its keys (OpenID Connect Discovery, 4). */
async function discover(issuer: string): Promise<JWTVerifyGetKey> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS) });
  if (response.status !== 200) throw new Error(`${url} responded with ${response.status}`);
  const protocol = new RegExp(`^${new URL(issuer).protocol.slice(0, -1)}$`);
  const metadata = z.object({ issuer: z.literal(issuer), jwks_uri: z.url({ protocol }) });
  const { jwks_uri } = metadata.parse(await response.json());
  const { createRemoteJWKSet } = await import("jose");
  const options = { timeoutDuration: PROVIDER_TIMEOUT_MS, cacheMaxAge: KEYS_COUNT_MS };
  const keys = createRemoteJWKSet(new URL(jwks_uri), options); // it reads them again for a key that is new, too
  let askedAtMs = performance.now();
  return async (header, token) => {
    if (performance.now() - askedAtMs > KEYS_READ_EVERY_MS) {
      askedAtMs = performance.now();
      await keys.reload().catch(() => {}); // those that were read go on counting
    }
    return keys(header, token);
  };
}
