// Where the page and its server are. A test of a calculation loads this file without a document.

/** The path below which a proxy serves the page, such as `/hr`, as the server wrote it into the document; empty at the root. */
export const BASE_PATH = globalThis.document?.documentElement.dataset.basePath ?? "";

/** The server's address, which the client and commands take. */
export const SERVER = (globalThis.location?.origin ?? "") + BASE_PATH;
