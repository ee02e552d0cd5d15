// The addresses of the page and its server. Tests of calculations load this file without a document.

const { basePath = "", isStatic } = globalThis.document?.documentElement.dataset ?? {};

/** The path at which a proxy serves the page, such as `/hr`; the server wrote it into the document. Empty for the root. */
export const BASE_PATH = basePath;

/** Whether the page is a static demo (static.ts): files of a made-up company, and no server. */
export const IS_STATIC = isStatic !== undefined;

/** The server's address, for the client. */
export const SERVER = (globalThis.location?.origin ?? "") + BASE_PATH;

/** The server's address in shown commands; of a static demo, where `rollcall serve` listens. */
export const COMMAND_SERVER = IS_STATIC ? "http://127.0.0.1:4010" : SERVER;

/** Closes, the company and the page's own data have no past. */
const TIMELESS = /\/v1\/(?:company|time_off\/closes)\b|\/web\//;

/** An address with the parameter `knownOn`, where the API takes it. */
export function asKnown(url: string, knownOn: string): string {
  return TIMELESS.test(url) || url.includes("knownOn=")
    ? url
    : `${url}${url.includes("?") ? "&" : "?"}knownOn=${knownOn}`;
}
