// No part of a caller's path, query or headers reaches the log, not even in the message of an error.
import { expect, test } from "bun:test";
import type { LoggedError, Observation } from "../../../src/observe.ts";
import { type ReadStore, StoreUnavailable } from "../../../src/store/store.ts";
import { sampleFacts } from "../../support/rows.ts";
import { addCompany, addKey } from "../../support/stores.ts";
import { startService } from "../service.ts";

const SECRETS = ["wrk_quetzal", "quetzal@example.com", "quetzal-agent", "top_quetzal"];

test.each([Error, StoreUnavailable])(
  "an error that repeats the request is logged without it",
  async (Fault) => {
    const observed: Observation[] = [];
    const real = await startService();
    await addCompany(real.writer, "acme", sampleFacts());
    const key = await addKey(real.writer, "acme");
    const cause = new Error(`cannot read wrk_quetzal for ${key}`);
    const message = `no such thing: ${SECRETS.join(" ")} (quetzal%40example.com)`;
    const store: ReadStore = {
      ...real.reader,
      key: (digest) => real.reader.key(digest),
      version: () => Promise.reject(new Fault(message, { cause } as never)),
    };
    const service = await startService({ store, observe: (one) => observed.push(one) });
    const path = "/v1/workers/wrk_quetzal?workEmail=quetzal%40example.com&policyIds=top_quetzal,top_b";
    const headers = { "user-agent": "quetzal-agent", "x-request-id": `request-of-${key}` };
    await service.call(path, { key, headers });
    const reported = observed.find(({ kind }) => kind !== "request") as { error: LoggedError };
    expect(reported.error.message).toStartWith("no such thing: (sent) (sent)");
    const logged = JSON.stringify(observed);
    for (const secret of [...SECRETS, key, "quetzal%40example.com"]) expect(logged).not.toContain(secret);
    expect(logged).toContain("request-of-(key)");
  },
);
