// The addresses of the page and its server. Tests of calculations load this file without a document.

/** The path at which a proxy serves the page, such as `/hr`; the server wrote it into the document. Empty for the root. */
export const BASE_PATH = globalThis.document?.documentElement.dataset.basePath ?? "";

/** The server's address, for the client and for shown commands. */
export const SERVER = (globalThis.location?.origin ?? "") + BASE_PATH;
