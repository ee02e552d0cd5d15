// The caller's trace: the `traceparent` header (W3C Trace Context, 2). It needs no package; src/cli/serving/traces.ts exports.
import type { LoggedText } from "../observe.ts";

export interface TraceContext {
  readonly traceId: LoggedText;
  /** The caller's span. */
  readonly parentId: string;
  /** Whether the caller records its span. Only a trusted caller decides for this server. */
  readonly isSampled: boolean;
}

/** Later versions may append fields; version ff is forbidden. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?=$|-)/;

/** Longer ones cannot be valid in any known version. */
const LENGTH_MAX = 256;

/** Null if the header is missing or invalid: an invalid one is ignored. */
export function traceContext({ headers }: Request): TraceContext | null {
  const header = headers.get("traceparent");
  if (header === null || header.length > LENGTH_MAX) return null;
  const match = TRACEPARENT.exec(header);
  if (match === null || (header.startsWith("00") && header.length > match[0].length)) return null;
  const [, traceId, parentId, flags] = match;
  return {
    traceId: traceId as LoggedText, // 32 hexadecimal digits
    parentId: parentId!,
    isSampled: (Number.parseInt(flags!, 16) & 1) === 1,
  };
}

/** One finished request, as it is traced. Times are of `performance.now()`, in milliseconds. */
export interface RequestTrace {
  readonly parent: TraceContext | null;
  /** Whether the request came through a proxy of `--trust-proxy`. */
  readonly isTrusted: () => boolean;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** When the store was read; null for a cached response, and where nothing was read. */
  readonly storeRead: { readonly startedAtMs: number; readonly endedAtMs: number } | null;
}

interface Traced {
  readonly trace: TraceContext | null;
  readonly startedAtMs: number;
  /** The phases that have ended, in order. */
  readonly phases: readonly { readonly name: string; readonly endedAtMs: number }[] | null;
}

export function requestTrace({ phases, startedAtMs, trace }: Traced, isTrusted: () => boolean): RequestTrace {
  const at = phases?.findIndex(({ name }) => name === "read") ?? -1;
  const read = phases?.[at];
  return {
    parent: trace,
    isTrusted,
    startedAtMs,
    endedAtMs: performance.now(),
    storeRead:
      read === undefined
        ? null
        : { startedAtMs: phases?.[at - 1]?.endedAtMs ?? startedAtMs, endedAtMs: read.endedAtMs },
  };
}
