// An identity provider: a real OpenID server on loopback, whose users sign in with their address alone.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
} from "jose";
import Provider from "oidc-provider";

export interface User {
  readonly groups?: readonly string[];
  readonly isVerified?: boolean;
  /** Claims instead of these. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Claims of the ID token; by default the provider sends all in the userinfo. */
  readonly inToken?: Readonly<Record<string, unknown>>;
}

export interface IdentityProvider {
  readonly issuer: string;
  /** Signs with the provider's own key. `header` and `claims` replace what a good token has; undefined leaves it out. */
  sign(
    claims?: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, unknown>>,
  ): Promise<string>;
  /** Follows an authorization request as somebody's browser does; returns where it leads in the end. */
  signIn(authorization: URL, address: string): Promise<URL>;
  /** The `Authorization` with which a program last proved its secret. */
  proof(): string | null;
  /** Signs with a new key from now on. `publishes`: how many of the keys before are still published. */
  rotate(publishes: number): Promise<void>;
  stop(): Promise<void>;
}

/** A program at which people sign in, beside those that register themselves. */
export interface Client {
  readonly id: string;
  readonly secret?: string;
  /** Where people open it. */
  readonly address: string;
}

/** `audience`: of the tokens that `sign` makes. Real ones have that which their program asked for (RFC 8707). */
export async function startIdentityProvider(
  audience: string,
  users: Readonly<Record<string, User>>,
  clients: readonly Client[] = [],
): Promise<IdentityProvider> {
  let keys = [await newKey()];
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  const claimsOf = (address: string) =>
    users[address]?.claims ?? {
      email: address,
      email_verified: users[address]?.isVerified ?? true,
      ...(users[address]?.groups === undefined ? {} : { groups: users[address].groups }),
    };
  const providerOf = (jwks: { keys: JWK[] }) =>
    new Provider(issuer, {
      jwks,
      clients: clients.map(({ id, secret, address }) => ({
        client_id: id,
        ...(secret === undefined
          ? { token_endpoint_auth_method: "none" }
          : { client_secret: secret, token_endpoint_auth_method: "client_secret_basic" }),
        redirect_uris: [`${address}/signed-in`],
        post_logout_redirect_uris: [`${address}/`],
      })),
      cookies: { keys: ["loopback"] },
      claims: {
        email: ["email", "email_verified", "azp"],
        groups: ["groups"],
        profile: ["upn", "roles", "_claim_names"],
      },
      conformIdTokenClaims: false,
      findAccount: (_context, sub) => ({
        accountId: sub,
        claims: (use) => ({ sub, ...(use === "id_token" ? users[sub]?.inToken : claimsOf(sub)) }),
      }),
      extraTokenClaims: (_context, token) =>
        "accountId" in token && token.accountId !== undefined ? claimsOf(token.accountId) : {},
      features: {
        registration: { enabled: true },
        devInteractions: { enabled: true },
        resourceIndicators: {
          enabled: true,
          useGrantedResource: () => true,
          getResourceServerInfo: (_context, resource) => ({
            scope: "openid email",
            audience: resource,
            accessTokenFormat: "jwt",
          }),
        },
      },
    });
  let callback = providerOf({ keys }).callback();
  let proof: string | null = null;
  server.on("request", (request, response) => {
    const { authorization = "" } = request.headers;
    if (authorization.startsWith("Basic")) proof = authorization;
    void callback(request, response);
  });
  return {
    issuer,
    async sign(claims = {}, header = {}) {
      const nowSeconds = Math.floor(Date.now() / 1000);
      const payload = { iss: issuer, aud: audience, sub: "u", exp: nowSeconds + 60, ...claims };
      return await new SignJWT(payload as JWTPayload) // attacks have claims of other types
        .setProtectedHeader({ alg: "RS256", typ: "at+jwt", kid: keys[0]!.kid!, ...header })
        .sign(await importJWK(keys[0]!));
    },
    proof: () => proof,
    async rotate(publishes) {
      keys = [await newKey(), ...keys.slice(0, publishes)];
      callback = providerOf({ keys }).callback();
    },
    async signIn(authorization, address) {
      const cookies = new Map<string, string>();
      let url = authorization;
      let form: URLSearchParams | null = null;
      while (url.origin === issuer) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const response: Response = await fetch(url, {
          method: form === null ? "GET" : "POST",
          body: form,
          headers: { cookie },
          redirect: "manual",
        });
        for (const set of response.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
          cookies.set(name!, value!);
        }
        const location = response.headers.get("location");
        form = null;
        if (location !== null) {
          url = new URL(location, url);
          continue;
        }
        const page = await response.text();
        const prompt = /name="prompt" value="(login|consent)"/.exec(page)?.[1];
        if (prompt === undefined) throw new Error(`no form at ${url}: ${response.status} ${page}`);
        form = new URLSearchParams({ prompt, login: address, password: "any" });
      }
      return url;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), use: "sig", alg: "RS256" };
}
