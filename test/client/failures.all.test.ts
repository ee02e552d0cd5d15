import { expect, test } from "bun:test";
import { join } from "node:path";
import { isRollcallError, Rollcall, RollcallError, type RollcallOptions } from "../../src/client/index.ts";
import { ok, problem, scripted, silence } from "./stub.ts";

async function failure(work: Promise<unknown>): Promise<RollcallError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason) => reason,
  );
  if (!isRollcallError(error)) throw new Error(`not a RollcallError: ${error}`);
  return error;
}

test("a problem becomes an error with its code, status, detail and request id", async () => {
  const { rollcall, asked } = scripted([problem(404, "worker_not_found")]);
  const error = await failure(rollcall.workers.retrieve("wrk_a"));
  expect(error).toMatchObject({
    code: "worker_not_found",
    status: 404,
    requestId: "req-1",
    detail: "what is wrong",
  });
  expect(error.message).toBe("worker_not_found: what is wrong (request req-1)");
  expect(isRollcallError(error, "worker_not_found", "policy_not_found")).toBe(true);
  expect(isRollcallError(error, "timeout")).toBe(false);
  expect(asked).toHaveLength(1); // trying again would be of no use
});

test("a message says everything once, in one sentence", () => {
  const detail = "status: is not known here: did you mean `statuses`?";
  const errors = [{ parameter: "status", detail: "is not known here: did you mean `statuses`?" }];
  expect(new RollcallError({ code: "invalid_parameter", detail, errors, requestId: "req-1" }).message).toBe(
    "invalid_parameter: status: is not known here: did you mean `statuses`? (request req-1)",
  );
  const busy = new RollcallError({
    code: "overloaded",
    detail: "Try again in a moment.",
    requestId: "req-1",
  });
  expect(busy.message).toBe("overloaded: Try again in a moment (request req-1)");
  expect(busy.detail).toBe("Try again in a moment.");
});

test("the time limit begins after the time for which the server may wait", async () => {
  const answer = () => ok({ count: 0, data: [], hasMore: false, position: "p", asOf: null });
  const late = ({ signal }: RequestInit) =>
    new Promise<Response>((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
      setTimeout(() => resolve(answer()), 300);
    });
  const { rollcall } = scripted([late, late], { timeoutMs: 100, retries: 0 });
  expect((await rollcall.changes.page({ wait: 5 })).position).toBe("p");
  await expect(rollcall.changes.page()).rejects.toMatchObject({ code: "timeout" });
});

test("what took the server too long is not asked for again", async () => {
  const { rollcall, asked } = scripted([problem(503, "timed_out", { "retry-after": "1" })]);
  await expect(rollcall.workers.retrieve("wrk_a")).rejects.toMatchObject({ code: "timed_out" });
  expect(asked).toHaveLength(1);
});

test("429 and 503 are tried again, after as long as Retry-After says", async () => {
  const { rollcall, asked } = scripted([
    problem(429, "rate_limited", { "retry-after": "1" }),
    ok({ id: "wrk_a" }),
  ]);
  const before = performance.now();
  expect((await rollcall.workers.retrieve("wrk_a")).id).toBe("wrk_a");
  expect(performance.now() - before).toBeGreaterThanOrEqual(995);
  expect(asked).toHaveLength(2);
});

test("a pause that is too long to wait for fails at once and tells how long it is", async () => {
  const { rollcall, asked } = scripted([problem(503, "unavailable", { "retry-after": "3600" })]);
  const error = await failure(rollcall.workers.retrieve("wrk_a"));
  expect(error).toMatchObject({ code: "unavailable", retryAfterMs: 3_600_000 });
  expect(asked).toHaveLength(1);
});

test("network failures are tried again, so often and no more", async () => {
  const refused = new TypeError("connection refused");
  const { rollcall, asked } = scripted([refused, refused, refused], { retries: 1 });
  const error = await failure(rollcall.workers.retrieve("wrk_a"));
  expect(error).toMatchObject({ code: "network_error", status: null, requestId: null, cause: refused });
  expect(error.message).toBe("network_error: no connection to http://rollcall.test");
  expect(asked).toHaveLength(2);
});

const TLS_FILES = join(import.meta.dir, "../cli/serving/tls/test-only");

test("a certificate that is not trusted is named, with what to do about it", async () => {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: {
      cert: Bun.file(join(TLS_FILES, "localhost.cert.pem")),
      key: Bun.file(join(TLS_FILES, "localhost.key.pem")),
    },
    fetch: () => Response.json({ id: "wrk_a" }),
  });
  try {
    const baseUrl = `https://127.0.0.1:${server.port}`;
    const rollcall = new Rollcall({ baseUrl, apiKey: "rk_test", retries: 0 });
    const error = await failure(rollcall.workers.retrieve("wrk_a"));
    expect(error.code).toBe("network_error");
    expect(error.detail).toStartWith(
      `no connection to ${baseUrl}: its certificate is from an unknown authority: put`,
    );
    expect(error.detail).toEndWith("NODE_EXTRA_CA_CERTS (DEPTH_ZERO_SELF_SIGNED_CERT)");
  } finally {
    await server.stop(true);
  }
});

test.each([
  ["CERT_HAS_EXPIRED", "its certificate has expired: renew it on the server (CERT_HAS_EXPIRED)"],
  ["CERT_NOT_YET_VALID", "its certificate is not valid yet: check the clocks of both machines"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another name: use the name that the"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "from an unknown authority"],
  ["ECONNREFUSED", "no connection to http://rollcall.test: ECONNREFUSED"],
])("why there is no connection, as Bun and Node tell it: %s", async (code, text) => {
  const ofBun = Object.assign(new TypeError("certificate"), { code });
  const ofNode = new TypeError("fetch failed", { cause: Object.assign(new Error("certificate"), { code }) });
  for (const cause of [ofBun, ofNode]) {
    const { rollcall } = scripted([cause], { retries: 0 });
    expect((await failure(rollcall.workers.retrieve("wrk_a"))).message).toContain(text);
  }
});

test("every attempt has its own time limit", async () => {
  const { rollcall, asked } = scripted([silence, ok({ id: "wrk_a" })], { timeoutMs: 20 });
  expect((await rollcall.workers.retrieve("wrk_a")).id).toBe("wrk_a");
  expect(asked).toHaveLength(2);
  const { rollcall: hasty } = scripted([silence], { timeoutMs: 20, retries: 0 });
  expect((await failure(hasty.workers.retrieve("wrk_a"))).message).toBe(
    "timeout: no response from http://rollcall.test within 20 ms",
  );
});

test("a time limit of Infinity is none", async () => {
  const slow = async () => {
    await Bun.sleep(20);
    return ok({ id: "wrk_a" });
  };
  const { rollcall } = scripted([slow], { timeoutMs: Number.POSITIVE_INFINITY, retries: 0 });
  expect((await rollcall.workers.retrieve("wrk_a")).id).toBe("wrk_a");
});

test("a caller's abort ends the call with its reason: under way, between attempts, and before the first", async () => {
  const reason = new Error("left the page");
  const underWay = scripted([silence], { timeoutMs: 1e9 }); // nothing else ends it
  const controller = new AbortController();
  const call = underWay.rollcall.workers.retrieve("wrk_a", { signal: controller.signal });
  while (underWay.asked.length === 0) await Bun.sleep(1);
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);

  const begun = scripted([silence]);
  const atOnce = new AbortController();
  const ended = begun.rollcall.workers.retrieve("wrk_a", { signal: atOnce.signal });
  atOnce.abort(reason);
  await expect(ended).rejects.toBe(reason);
  expect(begun.asked).toHaveLength(0); // an abort that is missed here would only be seen at the end of its time

  const waiting = scripted([problem(503, "unavailable", { "retry-after": "30" })]);
  const second = new AbortController();
  setTimeout(() => second.abort(reason), 20);
  await expect(waiting.rollcall.workers.retrieve("wrk_a", { signal: second.signal })).rejects.toBe(reason);

  const never = scripted([]);
  const list = never.rollcall.workers.list({}, { signal: AbortSignal.abort(reason) });
  await expect(list.toArray()).rejects.toBe(reason);
  expect(never.asked).toHaveLength(0);
});

test("responses that are not Rollcall's have a code of their own", async () => {
  const headers = { "x-request-id": "of-the-proxy" };
  const { rollcall } = scripted([
    new Response("<html>", { status: 403, headers }),
    new Response("<html>", { headers }),
  ]);
  for (const status of [403, 200])
    expect(await failure(rollcall.workers.retrieve("wrk_a"))).toMatchObject({
      code: "unexpected_answer",
      status,
      requestId: "of-the-proxy",
    });
});

test("a redirect is reported, not followed: it would take the key elsewhere", async () => {
  const asked: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ url }) {
      asked.push(new URL(url).pathname);
      return Response.redirect("/elsewhere", 302);
    },
  });
  const rollcall = new Rollcall({ baseUrl: `http://127.0.0.1:${server.port}`, apiKey: "rk_test" });
  const error = await failure(rollcall.workers.retrieve("wrk_a"));
  expect(error).toMatchObject({ code: "unexpected_answer", status: 302 });
  expect(error.detail).toContain("/elsewhere");
  expect(asked).toEqual(["/v1/workers/wrk_a"]);
  await server.stop(true);
  // Browsers show neither its status nor where it leads.
  const inBrowser = await failure(scripted([Response.error()]).rollcall.workers.retrieve("wrk_a"));
  expect(inBrowser.detail).toBe("the server redirects to another address: make that the baseUrl");
});

test("what a client cannot work with is refused at once, with what to write instead", () => {
  const apiKey = "rk_test";
  const refusal = (options: object) => {
    try {
      new Rollcall(options as RollcallOptions); // as JavaScript may call it
    } catch (error) {
      if (error instanceof TypeError) return error.message;
    }
    throw new Error("not refused with a TypeError");
  };
  const scheme = "baseUrl must begin with http:// or https://: write";
  for (const [baseUrl, message] of [
    [undefined, 'baseUrl is missing: write the server\'s address, such as "http://127.0.0.1:4010"'],
    ["", 'baseUrl is missing: write the server\'s address, such as "http://127.0.0.1:4010"'],
    ["127.0.0.1:5140", `${scheme} "http://127.0.0.1:5140"`],
    ["localhost:5140/", `${scheme} "http://localhost:5140"`],
    ["ftp://files.test", `${scheme} "http://127.0.0.1:4010"`],
    ["rk_secret", `${scheme} "http://127.0.0.1:4010"`],
    ["http://", 'baseUrl is not an address: write the server\'s, such as "http://127.0.0.1:4010"'],
    [
      "http://127.0.0.1:5140/#key=rk_secret",
      'baseUrl must be only the server\'s address: write "http://127.0.0.1:5140"',
    ],
    [
      "http://me:secret@127.0.0.1:5140",
      'baseUrl must be only the server\'s address: write "http://127.0.0.1:5140"',
    ],
  ] as const) {
    expect(refusal({ baseUrl, apiKey })).toBe(message);
  }
  const baseUrl = "http://rollcall.test";
  for (const missing of [undefined, "", " "]) {
    expect(refusal({ baseUrl, apiKey: missing })).toBe(
      'apiKey is missing: write the key, "rk_…", that `rollcall keys create` prints',
    );
  }
  expect(refusal({ baseUrl, apiKey: "rk_secret\nrk_other" })).toBe(
    'apiKey holds a character that no header can carry: write "rk_…" alone, on one line',
  );
  expect(() => Reflect.construct(Rollcall, [])).toThrow(/^baseUrl is missing/);
});

test("an address may end in slashes and lie under a path of a proxy", async () => {
  for (const baseUrl of ["http://rollcall.test/hr", "http://rollcall.test/hr//"]) {
    const { rollcall, asked } = scripted([ok({ id: "wrk_a" })], { baseUrl });
    await rollcall.workers.retrieve("wrk_a");
    expect(asked[0]?.url).toBe("/hr/v1/workers/wrk_a");
  }
});

test("a key is not shown by accident", () => {
  const rollcall = new Rollcall({ baseUrl: "http://rollcall.test", apiKey: "rk_secret" });
  expect(Bun.inspect(rollcall, { depth: 9 }) + JSON.stringify(rollcall)).not.toContain("rk_secret");
});
