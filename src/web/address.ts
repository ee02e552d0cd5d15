// The addresses of the page and its server. Tests of calculations load this file without a document.

/** The path at which a proxy serves the page, such as `/hr`; the server wrote it into the document. Empty for the root. */
export const BASE_PATH = globalThis.document?.documentElement.dataset.basePath ?? "";

/** The server's address, for the client and for shown commands. */
export const SERVER = (globalThis.location?.origin ?? "") + BASE_PATH;

/** Closes, the company and the page's own data have no past. */
const TIMELESS = /\/v1\/(?:company|time_off\/closes)\b|\/web\//;

/** An address with the parameter `knownOn`, where the API takes it. */
export function asKnown(url: string, knownOn: string): string {
  return TIMELESS.test(url) || url.includes("knownOn=")
    ? url
    : `${url}${url.includes("?") ? "&" : "?"}knownOn=${knownOn}`;
}
