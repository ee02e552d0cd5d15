// Settings of signing in: by a proxy, at an identity provider, and with tokens.
import { describe, expect, test } from "bun:test";
import { serveSettings } from "../../../src/cli/serving/settings.ts";

describe("settings that would sign in nobody, or anybody, are refused", () => {
  const given = {
    db: "./x.db",
    host: "127.0.0.1",
    port: "0",
    rateLimit: "100",
    cache: "1",
    processes: "1",
    log: "none",
    trustProxy: "127.0.0.1",
    authProxy: "X-Forwarded-Email",
    authGroup: ["hr=acme:everything"],
  };

  test("good ones are read", () => {
    expect(serveSettings({ ...given, authGroup: "hr=acme:everything; *=acme:away" }).authProxy).toEqual({
      userHeader: "x-forwarded-email",
      groupsHeader: "x-forwarded-groups",
      contact: null,
      rules: [
        { group: "hr", companyId: "acme", access: "everything" },
        { group: "*", companyId: "acme", access: "away" },
      ],
    });
    expect(
      serveSettings({ ...given, authProxy: undefined, authGroup: undefined } as never).authProxy,
    ).toBeNull();
  });

  test("groups are read from X-Forwarded-Groups only where the proxy is one that sets it", () => {
    const authProxy = "Cf-Access-Authenticated-User-Email";
    const people = { ...given, authProxy, authGroup: ["boss@acme.example=acme:everything", "*=acme:away"] };
    expect(serveSettings(people).authProxy?.groupsHeader).toBeNull();
    const named = { ...given, authProxy: "Remote-User", authGroupsHeader: "Remote-Groups" };
    expect(serveSettings(named).authProxy?.groupsHeader).toBe("remote-groups");
  });

  const tokens = {
    mcpIssuer: "https://id.example.com/realms/acme",
    mcpAudience: "https://rollcall.example.com/mcp",
  };
  const alone = { ...given, ...tokens, authProxy: undefined, trustProxy: undefined } as never;

  test("an identity provider needs no proxy, and beside one groups may come from its tokens alone", () => {
    expect(serveSettings(alone)).toMatchObject({
      authProxy: null,
      tokenAuth: {
        issuer: tokens.mcpIssuer,
        audience: tokens.mcpAudience,
        rules: [{ group: "hr", companyId: "acme", access: "everything" }],
      },
    });
    const beside = serveSettings({ ...given, ...tokens, authProxy: "Remote-User" });
    expect([beside.authProxy?.groupsHeader, beside.tokenAuth?.issuer]).toEqual([null, tokens.mcpIssuer]);
    expect(serveSettings(given).tokenAuth).toBeNull();
  });

  test.each([
    [{ mcpAudience: undefined }, /--mcp-issuer and --mcp-audience need each other/],
    [{ mcpIssuer: undefined }, /--mcp-issuer and --mcp-audience need each other/],
    [{ authGroup: [] }, /--mcp-issuer needs --auth-group/],
    [{ mcpIssuer: "http://id.example.com" }, /--mcp-issuer: "http:.*begins with https/],
    [{ mcpIssuer: "https://id.example.com?a=b" }, /--mcp-issuer: .*without query/],
    [{ mcpIssuer: "id.example.com" }, /--mcp-issuer: "id.example.com" is not an address/],
    [{ mcpAudience: "https://rollcall.example.com" }, /--mcp-audience: .* does not end with \/mcp/],
    [{ mcpAudience: 'https://rollcall.example.com/"/mcp' }, /--mcp-audience: .* is not an address/],
  ])("of tokens: %o", (changed, message) => {
    expect(() => serveSettings({ ...(alone as object), ...changed } as never)).toThrow(message);
  });

  const provided = {
    signIn: "https://login.acme.example/realms/acme",
    clientId: "rollcall",
    publicAddress: "https://rollcall.example.com",
  };
  const atProvider = { ...given, ...provided, authProxy: undefined, trustProxy: undefined } as never;

  test("an identity provider signs people in for ten hours, or as long as is said, and needs no proxy", () => {
    const { authProxy, providerAuth } = serveSettings({
      ...(atProvider as object),
      allowFeeds: true,
    } as never);
    expect([authProxy, providerAuth]).toEqual([
      null,
      {
        issuer: provided.signIn,
        clientId: "rollcall",
        clientSecret: null,
        origin: provided.publicAddress,
        sessionKey: expect.any(Uint8Array),
        sessionMs: 36_000_000,
        rules: [{ group: "hr", companyId: "acme", access: "everything" }],
        claims: { address: "email", groups: "groups" },
        contact: null,
      },
    ]);
    expect(providerAuth!.sessionKey.length).toBe(32);
    expect(serveSettings(atProvider).providerAuth!.sessionKey).not.toEqual(providerAuth!.sessionKey);
    expect(
      serveSettings({ ...(atProvider as object), sessionTime: "30m" } as never).providerAuth?.sessionMs,
    ).toBe(1_800_000);
  });

  test("claims of other names are those of both ways, and mean nothing without a provider", () => {
    const named = { authAddressClaim: "upn", authGroupsClaim: "roles" };
    const both = { ...(atProvider as object), ...tokens, ...named } as never;
    const { providerAuth, tokenAuth } = serveSettings(both);
    expect([providerAuth?.claims, tokenAuth?.claims]).toEqual([
      { address: "upn", groups: "roles" },
      { address: "upn", groups: "roles" },
    ]);
    expect(() => serveSettings({ ...given, ...named })).toThrow(
      /--auth-address-claim needs --sign-in or --mcp-issuer/,
    );
    expect(() => serveSettings({ ...given, authGroupsClaim: "roles" })).toThrow(/--auth-groups-claim needs/);
  });

  test.each([
    [{ signIn: undefined }, /--client-id needs --sign-in/],
    [{ signIn: undefined, clientId: undefined }, /--public-address needs --sign-in/],
    [{ signIn: "http://login.acme.example" }, /--sign-in: "http:.*begins with https/],
    [{ clientId: undefined }, /--sign-in needs --client-id/],
    [{ publicAddress: undefined }, /--sign-in needs --public-address/],
    [{ publicAddress: "http://rollcall.example.com" }, /--public-address: .*begins with https/],
    [
      { publicAddress: "https://rollcall.example.com/hr" },
      /write https:\/\/rollcall\.example\.com; --base-path/,
    ],
    [{ authGroup: [] }, /--sign-in needs --auth-group/],
    [{ processes: "2" }, /--sign-in with --processes needs --session-key-file/],
    [{ sessionTime: "soon" }, /--session-time: "soon" is not a duration/],
    [{ sessionKeyFile: "/nowhere/key" }, /--session-key-file: \/nowhere\/key cannot be read/],
    [{ sessionKeyFile: "/dev/null" }, /--session-key-file: \/dev\/null has less than 32 bytes/],
    [{ clientSecretFile: "/dev/null" }, /--client-secret-file: \/dev\/null is empty/],
    [{ authProxy: "Remote-User", trustProxy: "127.0.0.1" }, /give one of them/],
    [{ authSignOut: "/oauth2/sign_out" }, /--auth-sign-out: .* of --auth-proxy/],
  ])("of a provider: %o", (changed, message) => {
    const options = { ...(atProvider as object), ...changed };
    if ("authProxy" in changed) Object.assign(options, { authGroup: ["@acme.example=acme:away"] });
    expect(() => serveSettings(options as never)).toThrow(message);
  });

  test.each([
    [{ authSignOut: "https://evil.example" }, /--auth-sign-out: .* must be a path/],
    [{ authSignOut: "//evil.example" }, /--auth-sign-out: .* must be a path/],
    [{ authProxy: "Remote-User" }, /"hr" is a group, and no header names groups/],
    [{ authGroup: [] }, /--auth-proxy needs --auth-group/],
    [{ authProxy: undefined }, /--auth-group needs --auth-proxy, --sign-in or --mcp-issuer/],
    [
      { authProxy: undefined, authGroup: [], allowFeeds: true },
      /--allow-feeds needs --auth-proxy or --sign-in/,
    ],
    [{ trustProxy: undefined }, /--auth-proxy needs --trust-proxy/],
    [{ trustProxy: "0.0.0.0/1,128.0.0.0/1" }, /--trust-proxy: covers internet addresses/],
    [{ trustProxy: "0.0.0.0/1" }, /--trust-proxy: covers internet addresses/], // half of it
    [{ trustProxy: "127.0.0.1,2000::/3" }, /--trust-proxy: covers internet addresses/],
    [{ trustProxy: "0.0.0.0/0" }, /neither an address nor a range .* \(\/0 is everybody\)/],
    [{ authProxy: "X-API-Key" }, /--auth-proxy: "X-API-Key" cannot name who is signed in/],
    [{ authGroupsHeader: "Cookie" }, /--auth-groups-header: "Cookie" cannot/],
    [{ authGroup: ["hr=acme:all"] }, /--auth-group: "hr=acme:all" is not a rule/],
  ])("%o", (changed, message) => {
    expect(() => serveSettings({ ...given, ...changed } as never)).toThrow(message);
  });
});
