// Everything that a server reports to its operator. Logs and metrics are made only from these observations.
// No observation contains a key, a query value, or anything about a worker.

export type Observation =
  | {
      readonly kind: "request";
      readonly requestId: string;
      readonly method: string;
      /** The route's pattern, such as `/v1/workers/{id}`: never the path itself. */
      readonly route: string;
      readonly status: number;
      readonly durationMs: number;
      /** Bytes of the body as sent. */
      readonly bytes: number;
      readonly keyId: string | null;
      readonly companyId: string | null;
      /** The error's code, if the response is an error. */
      readonly code: string | null;
    }
  | { readonly kind: "fault"; readonly requestId: string; readonly error: unknown }
  | { readonly kind: "unavailable"; readonly requestId: string | null; readonly error: unknown }
  | { readonly kind: "started"; readonly address: string }
  | { readonly kind: "stopping"; readonly inFlight: number }
  /** One of several processes ended unexpectedly and is restarted. `ending` is its exit code or signal. */
  | { readonly kind: "ended"; readonly process: number; readonly ending: number | string };

export type Observe = (observation: Observation) => void;
