// Sends one message. A name is resolved once and its addresses are checked, so it cannot lead elsewhere. Redirects are not followed.
import type { LookupAddress } from "node:dns";
import dns from "node:dns/promises";
import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isLoopback } from "../loopback.ts";
import { isPublic } from "./networks.ts";

const TIMEOUT_MS = 10_000;
/** How much of a response is read so that the connection ends well. The content is not used. */
const READ_MAX_BYTES = 1024;
/** Interim responses allowed before the final one (RFC 9110, 15.2). */
const INTERIM_MAX = 10;

/** The host of a URL, without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** Why a URL is refused, judged by its text alone; null if it may be tried. */
export function refusalOf(text: string, allowPrivate: boolean): string | null {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    return "is not an address such as https://example.com/hook";
  if (url.username !== "" || url.password !== "")
    return "has a user name or a password, which lists would show: messages are signed, so leave it out";
  if (isLoopback(url.hostname)) return null;
  if (url.protocol === "http:") return "is not secure: it must begin with https://";
  if (allowPrivate || isIP(hostOf(url)) === 0 || isPublic(hostOf(url))) return null;
  return "is a private address: pass --allow-private to allow it";
}

/** The addresses of a name. Raises an error if one is not public. */
async function publicAddresses(host: string): Promise<readonly LookupAddress[]> {
  const addresses = await dns.lookup(host, { all: true });
  if (addresses.every(({ address }) => isPublic(address))) return addresses;
  throw new Error(REFUSED);
}

const REFUSED = "refused: a private address";

/** Sends a message. Returns the response's status, or why there was none. Raises the reason of `signal`, and errors of callbacks. */
export async function post(
  { url: text, allowPrivate }: { readonly url: string; readonly allowPrivate: boolean },
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<string> {
  if (refusalOf(text, allowPrivate) !== null) return REFUSED;
  const url = new URL(text);
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const ending = AbortSignal.any([timeout, signal]);
  const outcome = Promise.withResolvers<string>();
  let status: string | null = null;
  const failed = (error: NodeJS.ErrnoException) => {
    if (signal.aborted) outcome.reject(signal.reason);
    else if (status !== null) outcome.resolve(status);
    else if (timeout.aborted) outcome.resolve("no response in 10 s");
    else outcome.resolve(error.message === REFUSED ? REFUSED : `no connection (${error.code ?? error.name})`);
  };
  ending.addEventListener("abort", () => failed(ending.reason), { once: true });
  /** Wraps a callback so that its error becomes the outcome. */
  const guarded =
    <A extends readonly unknown[]>(work: (...given: A) => void) =>
    (...given: A) => {
      try {
        work(...given);
      } catch (error) {
        outcome.reject(error);
      }
    };
  const send = (addresses: readonly LookupAddress[] | null) => {
    const lookup: LookupFunction = (_host, _options, done) => done(null, [...addresses!]); // only called with addresses
    const options = {
      method: "POST",
      headers,
      agent: false,
      signal: ending,
      ...(addresses === null ? {} : { lookup: guarded(lookup) }),
    } as const;
    const request: ClientRequest = (url.protocol === "https:" ? requestHttps : requestHttp)(url, options);
    const information = () => {
      if (++interim > INTERIM_MAX) request.destroy(); // a receiver could send them without end
    };
    let interim = 0;
    request.on("information", guarded(information));
    const responded = (response: IncomingMessage) => {
      status = String(response.statusCode);
      const done = guarded(() => outcome.resolve(status!));
      let bytes = 0;
      response.on("error", done); // the status is known already
      response.on("end", done); // not earlier, or a receiver could hold many connections open
      const read = (chunk: Uint8Array) => {
        bytes += chunk.length;
        if (bytes <= READ_MAX_BYTES) return;
        request.destroy();
        done();
      };
      response.on("data", guarded(read));
    };
    request.on("response", guarded(responded));
    request.on("error", guarded(failed));
    request.end(body);
  };
  const isResolved = allowPrivate || isLoopback(url.hostname) || isIP(hostOf(url)) !== 0;
  const resolved = isResolved ? Promise.resolve(null) : publicAddresses(hostOf(url));
  resolved.then(guarded(send), failed);
  return outcome.promise;
}
