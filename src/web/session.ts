// The key: where it is kept (this tab only), and the demo link that carries one.

const STORED = "rollcall.key";
const CARRIED = /^#key=(rk_[A-Za-z0-9]+)$/;

export const storedKey = (): string | null => sessionStorage.getItem(STORED);

export function storeKey(key: string | null): void {
  if (key === null) sessionStorage.removeItem(STORED);
  else sessionStorage.setItem(STORED, key);
}

/** The key in the address's fragment, which is removed at once: it must not stay in the history or be copied on. */
export function takeKeyFromAddress(): string | null {
  const { hash, pathname, search } = window.location;
  if (!hash.startsWith("#key=")) return null;
  window.history.replaceState(window.history.state, "", pathname + search);
  return CARRIED.exec(hash)?.[1] ?? null;
}
