// The address and the key that a client is made with: refused at once, with what to write, where no call could work.

const EXAMPLE = "http://127.0.0.1:4010";

/** The base address without a slash at its end. Raises a TypeError that never shows a key, a password or a query. */
export function baseAddress(baseUrl: unknown): string {
  if (typeof baseUrl !== "string" || baseUrl.trim() === "")
    throw new TypeError(`baseUrl is missing: write the server's address, such as "${EXAMPLE}"`);
  const text = baseUrl.trim();
  if (!/^https?:\/\//i.test(text)) {
    const host = /^[a-z][a-z+.-]*:\/\//i.test(text) ? undefined : asUrl(`http://${text}`)?.host;
    const better = host === undefined || host.startsWith("rk_") ? EXAMPLE : `http://${host}`;
    throw new TypeError(`baseUrl must begin with http:// or https://: write "${better}"`);
  }
  const url = asUrl(text);
  if (url === undefined)
    throw new TypeError(`baseUrl is not an address: write the server's, such as "${EXAMPLE}"`);
  if (url.username + url.password + url.search + url.hash !== "")
    throw new TypeError(`baseUrl must be the server's address and nothing more: write "${url.origin}"`);
  return text.replace(/\/+$/, "");
}

/** The key as it came. Raises a TypeError that does not show it. */
export function usableKey(apiKey: unknown): string {
  if (typeof apiKey !== "string" || apiKey.trim() === "")
    throw new TypeError('apiKey is missing: write the key, "rk_…", that `rollcall keys create` prints');
  try {
    new Headers({ "x-api-key": apiKey });
  } catch {
    // Without its cause, which some runtimes write the key into.
    throw new TypeError('apiKey holds a character that no header can carry: write "rk_…" alone, on one line');
  }
  return apiKey;
}

function asUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
