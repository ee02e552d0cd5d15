// Everything that a server tells its operator, as one union: logs and metrics are made from it and from nothing else.
// No observation holds a key, a query value, or anything of a worker.

export type Observation =
  | {
      readonly kind: "request";
      readonly requestId: string;
      readonly method: string;
      /** The route's pattern, such as `/v1/workers/{id}`: never the path itself. */
      readonly route: string;
      readonly status: number;
      readonly durationMs: number;
      /** Of the body as sent. */
      readonly bytes: number;
      readonly keyId: string | null;
      readonly companyId: string | null;
      /** The error's code, for an answer that is one. */
      readonly code: string | null;
    }
  | { readonly kind: "fault"; readonly requestId: string; readonly error: unknown }
  | { readonly kind: "unavailable"; readonly requestId: string | null; readonly error: unknown }
  | { readonly kind: "started"; readonly address: string }
  | { readonly kind: "stopping"; readonly inFlight: number }
  /** One of several processes ended unasked; `ending` is its exit code or the signal. Another one takes its place. */
  | { readonly kind: "ended"; readonly process: number; readonly ending: number | string };

export type Observe = (observation: Observation) => void;
