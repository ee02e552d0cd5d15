// The certificate and its key: checked before anything listens, and replaced in a running server on SIGHUP.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import type { Tls } from "../../http/server.ts";
import type { Observe } from "../../observe.ts";
import { CliFailure, UsageError } from "../failure.ts";
import { readText } from "../options.ts";

/** The paths of the certificate and its key. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Null without files. Raises UsageError for one file alone, and CliFailure for unusable files, or a certificate not valid at `nowMs`. */
export function readTls(
  certPath: string | undefined,
  keyPath: string | undefined,
  nowMs: number,
): Tls | null {
  if (certPath === undefined && keyPath === undefined) return null;
  if (certPath === undefined || keyPath === undefined) {
    throw new UsageError("--tls-cert and --tls-key belong together: give both");
  }
  const cert = readPem("--tls-cert", certPath, "CERTIFICATE");
  const key = readPem("--tls-key", keyPath, "PRIVATE KEY");
  const leaf = parsed("--tls-cert", certPath, "certificate", () => new X509Certificate(cert));
  requireValid(leaf, certPath, nowMs);
  if (!leaf.checkPrivateKey(parsedKey(keyPath, key))) {
    throw new CliFailure(
      `--tls-key: ${keyPath} is not the key of the first certificate in ${certPath}: give the two that belong together, with the server's own certificate first in its file`,
    );
  }
  return { cert, key };
}

function parsedKey(path: string, pem: string): KeyObject {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/.test(pem)) {
    throw new CliFailure(
      `--tls-key: ${path} is encrypted: remove its passphrase (openssl pkey -in … -out …), and let only the server's user read the file`,
    );
  }
  return parsed("--tls-key", path, "private key", () => createPrivateKey(pem));
}

function requireValid(leaf: X509Certificate, path: string, nowMs: number): void {
  const [fromMs, toMs] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  const day = (instantMs: number) => new Date(instantMs).toISOString().slice(0, 10);
  if (nowMs > toMs) {
    throw new CliFailure(`--tls-cert: ${path} expired on ${day(toMs)}: renew it, and give the new files`);
  }
  if (nowMs < fromMs) {
    throw new CliFailure(
      `--tls-cert: ${path} is valid from ${day(fromMs)}, but this machine's clock says ${day(nowMs)}: check the clock, or give another certificate`,
    );
  }
}

function parsed<T>(flag: string, path: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new CliFailure(`${flag}: ${path} is not a readable ${what}: it is damaged or cut off`, {
      cause: error,
    });
  }
}

function readPem(flag: string, path: string, kind: string): string {
  const text = readText(flag, path);
  if (new RegExp(`-----BEGIN [A-Z ]*${kind}-----`).test(text)) return text;
  throw new CliFailure(`${flag}: ${path} holds no PEM ${kind}`);
}

/**
 * Reads the files on each SIGHUP and calls `renew` with them. If they cannot be used, the server keeps the old ones and logs why.
 * Without TLS, it logs that there is nothing to renew. In a terminal, it then leaves SIGHUP alone.
 */
export function renewOnHangup(tlsFiles: TlsFiles | null, renew: (tls: Tls) => void, observe: Observe): void {
  if (tlsFiles === null) {
    const message = "SIGHUP renews a certificate, and this server has none: it has no --tls-cert";
    if (!process.stdin.isTTY) process.on("SIGHUP", () => observe({ kind: "notRenewed", message }));
    return;
  }
  process.on("SIGHUP", () => {
    try {
      renew(readTls(tlsFiles.cert, tlsFiles.key, Date.now())!); // both are named
      observe({ kind: "renewed" });
    } catch (error) {
      const message = error instanceof CliFailure ? error.message : String(error);
      observe({ kind: "notRenewed", message });
    }
  });
}
