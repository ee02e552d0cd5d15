// Where a caller is: the peer of the connection, or, behind proxies that the operator named, whom they say they serve.
import type { IncomingMessage } from "node:http";
import proxyaddr from "proxy-addr";

export type AddressOf = (request: Request, peer: string) => string;

/**
 * `X-Forwarded-For` is believed only as far as it was written by the trusted addresses (each an address, a CIDR range,
 * or `loopback`, `linklocal`, `uniquelocal`). Raises a TypeError for anything else.
 */
export function clientAddress(trusted: readonly string[]): AddressOf {
  if (trusted.length === 0) return (_request, peer) => peer;
  const trust = proxyaddr.compile([...trusted]);
  return (request, peer) => {
    const forwarded = request.headers.get("x-forwarded-for");
    const headers = forwarded === null ? {} : { "x-forwarded-for": forwarded };
    // All that the library reads of a request.
    const asked = { headers, socket: { remoteAddress: peer } } as unknown as IncomingMessage;
    return proxyaddr(asked, trust);
  };
}
