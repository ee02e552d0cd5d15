// Where the page and its server are.

/** The path below which a proxy serves the page, such as `/hr`, as the server wrote it into the document; empty at the root. */
export const BASE_PATH = document.documentElement.dataset.basePath ?? "";

/** The server's address, which the client and commands take. */
export const SERVER = window.location.origin + BASE_PATH;
