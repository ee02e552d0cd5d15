// The addresses of the page and its server. Some tests load this file without a document.

const { basePath = "", isStatic } = globalThis.document?.documentElement.dataset ?? {};

/** The base path at a proxy, such as `/hr`, which the server wrote into the document; empty for the root. */
export const BASE_PATH = basePath;

/** Whether the page is a static demo (static.ts): files of a made-up company, and no server. */
export const IS_STATIC = isStatic !== undefined;

/** The server's address, for the client. */
export const SERVER = (globalThis.location?.origin ?? "") + BASE_PATH;

/** The server's address in shown commands. A static demo shows the default address of `rollcall serve`. */
export const COMMAND_SERVER = IS_STATIC ? "http://127.0.0.1:4010" : SERVER;

/** Addresses that take no `knownOn`: closes, the company, and the page's own data. */
const TIMELESS = /\/v1\/(?:company|time_off\/closes)\b|\/web\//;

/** An address with the parameter `knownOn`, where the API takes it. */
export function asKnown(url: string, knownOn: string): string {
  return TIMELESS.test(url) || url.includes("knownOn=")
    ? url
    : `${url}${url.includes("?") ? "&" : "?"}knownOn=${knownOn}`;
}
