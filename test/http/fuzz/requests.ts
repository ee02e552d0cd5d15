// Malformed requests, byte by byte, from a seeded random generator.
import { randomOf } from "../../support/random-rows.ts";

export interface FuzzedRequest {
  readonly bytes: string;
  readonly isHead: boolean;
}

const METHODS = [
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "PROPFIND",
  "get",
  "FOO",
  "G E T",
  "",
  "GET\0",
  "\x80",
];

const SEGMENTS = [
  "v1",
  "workers",
  "time_off",
  "policies",
  "requests",
  "balances",
  "assignments",
  "wrk_ana",
  "top_annual",
  "docs",
  "healthz",
  "..",
  ".",
  "",
  "%2e%2e",
  "%2F",
  "%5c",
  "\\",
  "%00",
  "%",
  "%zz",
  "%ff",
  "%ed%a0%80",
  "%c0%af",
  "\xe9",
  "__proto__",
  "*",
  ";",
  "~",
  "@",
  ":",
];

const NAMES = [
  "limit",
  "afterId",
  "beforeId",
  "workEmail",
  "statuses",
  "types",
  "policyIds",
  "workerIds",
  "workerIds[]",
  "workerIds[0]",
  "startsBefore",
  "endDate",
  "startDate",
  "__proto__",
  "constructor",
  "[",
  "%5B%5D",
  "",
  "%00",
  "\xff",
];

const VALUES = [
  "1",
  "100",
  "0",
  "-1",
  "999999999999999999999",
  "wrk_ana",
  "top_annual",
  "tob_03anaannual",
  "active",
  "a@b.co",
  "2026-03-01",
  "2026-02-30",
  "0000-01-01T00:00:00%2B23:59",
  "9999-12-31T23:59:59-23:59",
  ",",
  ",,,,",
  "%",
  "%zz",
  "%00",
  "%ff%fe",
  "%ed%a0%80%ed%b0%80",
  "%f0%9f%99%82",
  "%E2%80%AE",
  "'%20or%201=1--",
  "$(id)",
  "{{7*7}}",
  "<script>",
  "..%2f..%2fetc%2fpasswd",
  "\xff\xfe",
  "+",
  "%2B",
  "null",
  "[]",
  "%0d%0aSet-Cookie:%20a=b",
];

const HEADERS = [
  "Accept: */*",
  "Accept-Encoding: gzip, br;q=0.5, *;q=0",
  "Accept-Encoding: identity;q=0",
  "Accept-Encoding: ,;,=;q=;q=9",
  "If-None-Match: *",
  'If-None-Match: W/"',
  'If-None-Match: """"',
  "x-request-id: ok-1",
  "x-request-id: \xff",
  "x-request-id: a b",
  "Origin: null",
  "Origin: https://evil.example",
  "Connection: close",
  "Connection: keep-alive, upgrade",
  "Upgrade: websocket",
  "Upgrade: h2c",
  "Expect: 100-continue",
  "Content-Length: 0",
  "Content-Length: 5",
  "Content-Length: 99999999999999999999",
  "Content-Length: -1",
  "Content-Length: 1e3",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding: x",
  "Range: bytes=0-0",
  "X-Forwarded-For: 127.0.0.1",
  "X-HTTP-Method-Override: DELETE",
  "Host: other",
  "Cookie: a=b",
  "\0: x",
  "x: \0",
  "x:",
  ":",
  "no colon",
  " folded",
  "x-a: \x7f",
  "x : y",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
];

const VERSIONS = [
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.0",
  "HTTP/0.9",
  "HTTP/2.0",
  "HTTP/9.9",
  "http/1.1",
  "HTTP/1.1 ",
  "",
  "ICY/1.1",
];

const BODIES = [
  "",
  "",
  "",
  "hello",
  "5\r\nhello\r\n0\r\n\r\n",
  "ffffffffffffffff\r\nx",
  "zz\r\n",
  "\0\0\0\0",
  "GET / HTTP/1.1\r\n\r\n",
];

const PATHS = [
  "/v1/workers",
  "/v1/time_off/requests",
  "/v1/time_off/balances",
  "/v1/time_off/assignments",
  "/v1/time_off/policies",
  "/v1/workers/wrk_ana",
];

const FORMS = ["http://other.example", "https://u:p@other.example:1", "http://", "//", "x", "/\\", "file://"];

const HOSTS = ["", "Host:", "Host: a/b", "Host: \xff", "Host: a\r\nHost: b", "Host: [::1", "Host: a@b:99999"];

/** Requests from a seed. Each part is valid in most of them, so an invalid part occurs alone as well as among others. */
export function fuzzedRequests(seed: number, count: number, apiKey: string): FuzzedRequest[] {
  const below = randomOf(seed);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)]!;
  const mostly = (right: string, odd: () => string) => (below(8) === 0 ? odd() : right);
  const some = (most: number, make: () => string) => Array.from({ length: below(most + 1) }, make);
  const noise = (length: number) => Array.from({ length }, () => String.fromCharCode(below(256))).join("");
  const printable = (length: number) => noise(length).replaceAll(/[^\x21-\x7e\x80-\xff]/g, "");

  const oddValues = [
    () => noise(below(20)),
    () => printable(below(60)),
    () => "x".repeat(below(20_000)),
    () => Array(below(3000)).fill("wrk_a").join(","),
    () => encodeURIComponent(noise(below(40))),
  ];

  function target(): string {
    const path = mostly(pick(PATHS), () => `/${some(8, () => pick(SEGMENTS)).join("/")}`);
    const pairs = some(3, () => `${pick(NAMES)}=${mostly(pick(VALUES), pick(oddValues))}`);
    const query = pairs.join(mostly("&", () => pick([";", "&&", "?"])));
    const separator = mostly("?", () => pick(["??", "#", "%3F"]));
    const end = mostly("", () => pick(["#f", "\t", " ", "?"]));
    return mostly("", () => pick(FORMS)) + path + (query === "" ? "" : separator + query) + end;
  }

  const oddKeys = [
    () => "",
    () => "x-api-key: nonsense",
    () => `x-api-key: ${apiKey}\r\nx-api-key: ${apiKey}`,
    () => `X-API-KEY:${apiKey}  `,
    () => `x-api-key: ${printable(10)}`,
  ];

  function head(): string[] {
    const key = mostly(`x-api-key: ${apiKey}`, () => pick(oddKeys)());
    const flood = () => some(250, () => `x-${below(1000)}: ${"y".repeat(below(200))}`).join("\r\n");
    const more = some(2, () => pick(HEADERS)).concat(mostly("", flood));
    return [mostly("Host: a", () => pick(HOSTS)), key, ...more].filter((line) => line !== "");
  }

  return Array.from({ length: count }, () => {
    if (below(30) === 0) return { bytes: `${noise(below(400))}\r\n\r\n`, isHead: false };
    const method = mostly("GET", () => pick(METHODS));
    const start = `${method} ${target()} ${mostly("HTTP/1.1", () => pick(VERSIONS))}`;
    const lines = [start, ...head()].join(mostly("\r\n", () => "\n"));
    return { bytes: `${lines}\r\n\r\n${mostly("", () => pick(BODIES))}`, isHead: method === "HEAD" };
  });
}
