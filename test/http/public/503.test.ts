// A server that is not ready tells its log why: probes are all that asks it meanwhile.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { publicRoutes } from "../../../src/http/public/public-routes.ts";
import type { Observation } from "../../../src/observe.ts";
import { sqliteStore } from "../../../src/store/sqlite/store.ts";
import { withStoreFolder } from "../../cli/faults/store-folder.ts";

test("/readyz of a store that a later version migrated: 503, and the reason is observed", () =>
  withStoreFolder(
    async ({ db }) => {
      const store = await sqliteStore(db).openReader({});
      const seen: Observation[] = [];
      const routes = publicRoutes({
        store,
        isStopping: () => false,
        page: () => null,
        observe: (observation) => seen.push(observation),
      });
      expect((await routes.find("/readyz", new Headers(), ""))?.status).toBe(200);
      expect(seen).toEqual([]);
      const database = new Database(db);
      database.run("pragma user_version = 9999");
      database.close();
      await Bun.sleep(250);
      expect((await routes.find("/readyz", new Headers(), ""))?.status).toBe(503);
      expect(seen).toMatchObject([{ kind: "unavailable", requestId: null }]);
      expect(JSON.stringify(seen)).toContain("was migrated by another version of Rollcall");
      await store.close();
    },
    { small: 10, big: 10 },
  ));
