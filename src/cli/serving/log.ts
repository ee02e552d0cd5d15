// Writes observations to stderr as JSON lines. No line contains a key, a query or anything about a worker.
import { pino } from "pino";
import type { LoggedError, Observation, Observe } from "../../observe.ts";
import { SETTINGS } from "../../settings.ts";
import { within } from "../program.ts";

export const LOG_CHOICES = SETTINGS.log.choices;
export type LogChoice = (typeof LOG_CHOICES)[number];

/** How long a stopping server waits until its log is written. */
const FLUSH_TIMEOUT_MS = 1000;

/** Writes lines in batches; `flush` writes the rest. */
export function logger(choice: LogChoice): { observe: Observe; flush: () => Promise<void> } {
  if (choice === "none") return { observe: () => {}, flush: async () => {} };
  const destination = pino.destination({ dest: 2, sync: false, minLength: 4096, periodicFlush: 1000 });
  const log = pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: LoggedError) => error }, // the library's own would replace the type
    },
    destination,
  );
  return {
    observe: (observation) => write(log, choice, observation),
    // Never `flushSync`, not even at exit: it waits for ever for a pipe without a reader.
    async flush() {
      await within(FLUSH_TIMEOUT_MS, new Promise<void>((resolve) => destination.flush(() => resolve())));
      destination.destroy();
    },
  };
}

function write(log: pino.Logger, choice: LogChoice, observation: Observation): void {
  if (observation.kind === "request" && choice !== "requests") return; // checked first, because requests are frequent
  const { kind, ...fields } = observation;
  switch (observation.kind) {
    case "request": {
      const { called, traceId, ...request } = observation;
      const durationMs = Math.round(observation.durationMs * 1000) / 1000;
      // JSON leaves undefined members out.
      const more = { traceId: traceId ?? undefined, tool: called?.tool, isError: called?.isError };
      log.info({ ...request, kind: undefined, durationMs, ...more }, "request");
      return;
    }
    case "fault":
    case "unavailable": {
      const { requestId, traceId, error: err } = observation;
      const line = { requestId, traceId: traceId ?? undefined, err };
      if (kind === "fault") log.error(line, "fault");
      else log.warn(line, "the store or the identity provider is away");
      return;
    }
    case "notSignedIn":
      log.warn(fields, "somebody could not sign in");
      return;
    case "replicaDown":
      log.warn({ err: observation.error }, "a replica is not used until it can be read");
      return;
    case "eventsLost":
      log.warn(
        fields,
        "a hook may lack events until this time: they were older than 7 days, or other data was restored",
      );
      return;
    case "ended":
      log.error(fields, "a process ended unexpectedly and is started again");
      return;
    case "notRenewed":
      log.error(fields, "the certificate was not renewed");
      return;
    default:
      if (choice === "requests") log.info(fields, kind);
  }
}
