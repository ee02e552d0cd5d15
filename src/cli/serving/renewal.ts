// Replaces the certificate of a running server on SIGHUP: the files are read again, and no connection is dropped.
import type { CertificateRenewal, Tls } from "../../http/server.ts";
import type { Observe } from "../../observe.ts";
import { CliFailure } from "../failure.ts";
import type { ServeSettings } from "./settings.ts";
import { readTls } from "./tls.ts";

/** The steps of `CertificateRenewal` for all processes on the port. Each resolves when every process has done it. */
export interface RenewalSteps {
  begin(tls: Tls): Promise<void>;
  steer(): Promise<void>;
  finish(): Promise<void>;
  abandon(): Promise<void>;
}

/** The steps for a server of one process. */
export function ownSteps(renewal: CertificateRenewal): RenewalSteps {
  return {
    begin: async (tls) => renewal.begin(tls),
    steer: async () => renewal.steer(1),
    finish: renewal.finish,
    abandon: renewal.abandon,
  };
}

/**
 * Renews the certificate on each SIGHUP; one that comes during a renewal begins another after it. If the files cannot be
 * used, the server goes on with what it has, and the log says why. Does nothing without TLS.
 */
export function renewOnHangup(settings: ServeSettings, steps: RenewalSteps, observe: Observe): void {
  const { tlsFiles } = settings;
  if (tlsFiles === null) return;
  let last: Promise<void> = Promise.resolve();
  process.on("SIGHUP", () => {
    last = last.then(async () => {
      try {
        const tls = readTls(tlsFiles.cert, tlsFiles.key, Date.now());
        if (tls !== null) await renew(tls, steps, observe);
      } catch (error) {
        const message = error instanceof CliFailure ? error.message : String(error);
        observe({ kind: "notRenewed", message });
      }
    });
  });
}

async function renew(tls: Tls, steps: RenewalSteps, observe: Observe): Promise<void> {
  try {
    await steps.begin(tls);
  } catch (error) {
    await steps.abandon();
    throw error;
  }
  await steps.steer();
  observe({ kind: "renewed" });
  await steps.finish();
}
