// Who sent a request, behind proxies.
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import proxyaddr from "proxy-addr";

/** The caller's address, given the request and the peer of its connection. */
export type AddressOf = (request: Request, peer: string) => string;

/** An entry of `X-Forwarded-For` in brackets or with a port. Some proxies write the port, which is another one for each connection. */
const WITH_PORT = /^\s*(?:\[(.*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?\s*$/;

/**
 * Finds callers behind trusted proxies. Only the entries of `X-Forwarded-For` that trusted addresses wrote are believed. A trusted
 * address is an address, a CIDR range, or `loopback`, `linklocal`, `uniquelocal`. Raises a TypeError for anything else.
 */
export function clientAddress(trusted: readonly string[]): AddressOf {
  if (trusted.length === 0) return (_request, peer) => peer;
  const trust = proxyaddr.compile([...trusted]);
  return (request, peer) => {
    const entries = request.headers.get("x-forwarded-for")?.split(",");
    const forwarded = entries?.map((entry) => entry.replace(WITH_PORT, "$1$2")).join();
    const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
    // The library reads only these parts of a request.
    const incoming = { headers, socket: { remoteAddress: peer } } as IncomingMessage;
    return proxyaddr(incoming, trust);
  };
}

/** Whether a peer is one of the trusted addresses. Raises a TypeError like `clientAddress`. */
export function trustedPeer(trusted: readonly string[]): (peer: string) => boolean {
  if (trusted.length === 0) return () => false;
  const trust = proxyaddr.compile([...trusted]);
  return (peer) => isIP(peer) !== 0 && trust(peer, 0);
}
