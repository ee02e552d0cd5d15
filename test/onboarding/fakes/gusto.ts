// Gusto, by its documents of version 2026-06-15: access tokens for a refresh token, which is revoked when the next access token is used; employees in pages, policies and requests whole whatever is asked for.
// Requests have days, and neither a start nor an end. A version that was retired gets 406.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Fake, type FakeOfPreset, json, sample, status } from "../../pull/fakes/fake.ts";
import { temporaryFolder } from "../../support/import-files.ts";

type Rows = Record<string, unknown>[];

export async function gusto(given: Readonly<Record<string, Rows>> = {}): Promise<FakeOfPreset> {
  const file = join(temporaryFolder(), "refresh-token");
  writeFileSync(file, "refresh-0\n");
  let [issued, used] = [0, 0];
  const fake = await Fake.start(({ method, path, query, headers, json: body }) => {
    if (method === "POST" && path === "/oauth/token") {
      const { grant_type, client_id, client_secret, refresh_token } = body;
      const number = Number(/^refresh-(\d+)$/.exec(String(refresh_token))?.[1] ?? -1);
      if (
        grant_type !== "refresh_token" ||
        client_id !== "app" ||
        client_secret !== "app-secret" ||
        number < used
      )
        return status(401, '{"error":"invalid_grant"}');
      issued++;
      return json({
        access_token: `access-${issued}`,
        token_type: "Bearer",
        expires_in: 7200,
        refresh_token: `refresh-${issued}`,
      });
    }
    if (headers.get("authorization") !== `Bearer access-${issued}`) return status(401);
    used = issued;
    if ((headers.get("x-gusto-api-version") ?? "") < "2026-06-15")
      return status(406, '{"errors":[{"category":"invalid_api_version"}]}');
    const name = /^\/v1\/companies\/acme\/(employees|time_off_policies|time_off_requests)$/.exec(path)?.[1];
    if (name === undefined) return status(404);
    const rows = given[name] ?? (sample("gusto", `${name}.json`) as Rows);
    if (name !== "employees") return json(rows);
    const [page, per] = [Number(query.get("page") ?? 1), Math.min(Number(query.get("per") ?? 25), 100)];
    return json(rows.slice((page - 1) * per, page * per));
  });
  return {
    fake,
    base: `${fake.url}/v1/companies/acme`,
    env: {
      GUSTO_COMPANY: "acme",
      GUSTO_CLIENT_ID: "app",
      GUSTO_CLIENT_SECRET: "app-secret",
      GUSTO_REFRESH_TOKEN_FILE: file,
    },
  };
}
