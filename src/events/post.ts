// Sends one message. An address is resolved once, judged, and used as it is: a name cannot be made to mean another machine in between.
// Redirects are not followed.
import { lookup } from "node:dns";
import { type ClientRequest, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

const TIMEOUT_MS = 10_000;
/** What is read of a response, for a connection that ends well. Nothing of it is used. */
const READ_MAX_BYTES = 1024;
/** Responses before the response (RFC 9110, 15.2). */
const INTERIM_MAX = 10;

/** Whether the address is one of the internet: not private, link-local, of this machine, nor reserved. */
function isPublic(address: string): boolean {
  return ipaddr.process(address).range() === "unicast";
}

/** The host of a URL, without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** Whether the URL itself says that this machine is meant. */
function isLoopback(url: URL): boolean {
  const host = hostOf(url);
  return host === "localhost" || (isIP(host) !== 0 && ipaddr.process(host).range() === "loopback");
}

/** Why nothing is sent to a URL, as far as that can be seen of it; null where it can be tried. */
export function refusalOf(text: string, allowPrivate: boolean): string | null {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    return "is not an address such as https://example.com/hook";
  if (isLoopback(url)) return null;
  if (url.protocol === "http:") return "is not secure: it must begin with https://";
  if (allowPrivate || isIP(hostOf(url)) === 0 || isPublic(hostOf(url))) return null;
  return "is a private address: pass --allow-private if it is meant";
}

/** `lookup`, which raises an error where one of the addresses is not public. */
const publicLookup: LookupFunction = (host, _options, done) =>
  lookup(host, { all: true }, (error, addresses) => {
    const refused = addresses?.some(({ address }) => !isPublic(address));
    done(refused ? new Error(REFUSED) : error, addresses ?? []);
  });

const REFUSED = "refused: a private address";

/** Sends it. Returns the status of the response, or why there was none. Raises the reason of `signal` when that ends it. */
export async function post(
  { url: text, allowPrivate }: { readonly url: string; readonly allowPrivate: boolean },
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<string> {
  if (refusalOf(text, allowPrivate) !== null) return REFUSED;
  const url = new URL(text);
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const options = {
    method: "POST",
    headers,
    agent: false,
    signal: AbortSignal.any([timeout, signal]),
    ...(allowPrivate || isLoopback(url) ? {} : { lookup: publicLookup }),
  } as const;
  const outcome = Promise.withResolvers<string>();
  const request: ClientRequest = (url.protocol === "https:" ? requestHttps : requestHttp)(url, options);
  let status: string | null = null;
  let interim = 0;
  request.on("information", () => {
    if (++interim > INTERIM_MAX) request.destroy(); // they would take the process from those who read
  });
  request.on("response", (response) => {
    status = String(response.statusCode);
    const done = () => outcome.resolve(status!);
    let bytes = 0;
    response.on("error", done); // its status is known
    response.on("end", done); // and not before: each message has a connection, which a receiver could hold open
    response.on("data", (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes <= READ_MAX_BYTES) return;
      request.destroy();
      done();
    });
  });
  request.on("error", (error: NodeJS.ErrnoException) => {
    if (signal.aborted) outcome.reject(signal.reason);
    else if (status !== null) outcome.resolve(status);
    else if (timeout.aborted) outcome.resolve("no response in 10 s");
    else outcome.resolve(error.message === REFUSED ? REFUSED : `no connection (${error.code ?? error.name})`);
  });
  request.end(body);
  return outcome.promise;
}
