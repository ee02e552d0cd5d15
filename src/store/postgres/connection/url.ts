// What can be said of a `postgres://` address without the driver: commands on an embedded store do not load it.

export function isPostgresAddress(address: string): boolean {
  return /^postgres(ql)?:\/\//i.test(address);
}

/** Null if it is not an address, or if an `@` after the host shows that the password contains an unencoded `@`. */
export function addressUrl(db: string): URL | null {
  const url = URL.parse(db);
  if (url === null || /@/.test(url.pathname + url.hash) || /^\?[^=]*@/.test(url.search)) return null;
  return url;
}
