// Compression by Accept-Encoding: once per answer and encoding, and only where it saves more than it costs.
import { brotliCompressSync, constants } from "node:zlib";
import Negotiator from "negotiator";
import type { Content } from "../render.ts";

/** Below this a body fits one packet anyway. */
const COMPRESS_FROM_BYTES = 1024;

type Encoding = "gzip" | "br" | "zstd" | "identity";

const OFFERED = ["zstd", "br", "gzip", "identity"];

const compress: Record<Exclude<Encoding, "identity">, (body: Uint8Array<ArrayBuffer>) => Uint8Array> = {
  gzip: (body) => Bun.gzipSync(body, { level: 6 }),
  br: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (body) => Bun.zstdCompressSync(body, { level: 3 }),
};

interface Negotiated {
  readonly encoding: Encoding;
  /** Whether the body may also be sent as it is. */
  readonly takesIdentity: boolean;
}

const negotiated = new Map<string, Negotiated>();

/** The encoding to use for this Accept-Encoding header. Callers send a handful of different ones. */
function negotiate(header: string): Negotiated {
  let found = negotiated.get(header);
  if (found === undefined) {
    const negotiator = new Negotiator({ headers: { "accept-encoding": header } });
    // The types on offer are of an older version, which had no second argument: our order among equals.
    const encodings = negotiator.encodings as (
      offered: string[],
      options: { preferred: string[] },
    ) => string[];
    const [chosen] = encodings.call(negotiator, OFFERED, { preferred: OFFERED });
    found = {
      encoding: (chosen ?? "identity") as Encoding, // one of those that were offered
      takesIdentity: negotiator.encodings(["identity"]).length > 0,
    };
    if (negotiated.size >= 1000) negotiated.clear();
    negotiated.set(header, found);
  }
  return found;
}

/** A content's compressed forms, kept with it. */
export type Compressed = Map<Encoding, Uint8Array>;

export function encodedBody(
  content: Content,
  compressed: Compressed,
  acceptEncoding: string | null,
): { body: Uint8Array; encoding: Encoding } {
  const plain = { body: content.body, encoding: "identity" } as const;
  if (acceptEncoding === null) return plain;
  const { encoding, takesIdentity } = negotiate(acceptEncoding);
  if (encoding === "identity" || (takesIdentity && content.body.length < COMPRESS_FROM_BYTES)) return plain;
  let body = compressed.get(encoding);
  if (body === undefined) {
    body = compress[encoding](content.body as Uint8Array<ArrayBuffer>); // made by TextEncoder, so over an ArrayBuffer
    compressed.set(encoding, body);
  }
  return { body, encoding };
}

/** Whether a caller takes gzip, which every browser and client knows. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null) return false;
  return new Negotiator({ headers: { "accept-encoding": acceptEncoding } }).encodings(["gzip"]).length > 0;
}
