// Exports traces with OpenTelemetry, which is loaded only if tracing is on. A span has no data of people, keys or companies.
import { randomBytes } from "node:crypto";
import type { HrTime } from "@opentelemetry/api";
import type { RequestTrace } from "../../http/request-context.ts";
import type { Observation } from "../../observe.ts";
import { UsageError } from "../failure.ts";
import { build, within } from "../program.ts";

type RequestObservation = Extract<Observation, { readonly kind: "request" }>;

export interface Traces {
  /** Called after each request. */
  record(trace: RequestTrace, observation: RequestObservation): void;
  /** Sends the remaining spans. An unreachable collector delays a stop by a few seconds at most. */
  stop(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const SHARE_DEFAULT = 0.01;

/** How long an export waits for the collector. A stop waits as long. */
const STOP_TIMEOUT_MS = 3000;

/** Null if tracing is off. Raises UsageError for an unknown sampler. */
export async function startTraces(environment: Environment): Promise<Traces | null> {
  const isOff =
    environment.OTEL_SDK_DISABLED?.toLowerCase() === "true" ||
    environment.OTEL_TRACES_EXPORTER === "none" ||
    !(environment.OTEL_EXPORTER_OTLP_ENDPOINT || environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
  if (isOff) return null;
  const isSampled = sampler(environment);
  const { SpanKind, SpanStatusCode, ROOT_CONTEXT, TraceFlags, trace } = await import("@opentelemetry/api");
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  const { detectResources, envDetector, resourceFromAttributes } = await import("@opentelemetry/resources");
  const { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } = await import("@opentelemetry/sdk-trace");
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "rollcall" })
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes({ "service.version": build().version })),
    sampler: new AlwaysOnSampler(), // `isSampled` has decided before
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(
          environment.OTEL_EXPORTER_OTLP_TIMEOUT ? {} : { timeoutMillis: STOP_TIMEOUT_MS },
        ),
      }),
    ],
  });
  const tracer = provider.getTracer("rollcall", build().version);
  return {
    record(request, { method, route, status, code }) {
      if (!isSampled(request)) return;
      const { parent, startedAtMs, endedAtMs, storeRead } = request;
      const time = epochTime();
      const caller =
        parent === null
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, {
              traceId: parent.traceId,
              spanId: parent.parentId,
              traceFlags: TraceFlags.SAMPLED,
              isRemote: true,
            });
      const attributes = {
        "http.request.method": method,
        "http.route": route,
        "http.response.status_code": status,
        ...(code === null ? {} : { "error.type": code }),
      };
      const span = tracer.startSpan(
        `${method} ${route}`,
        { kind: SpanKind.SERVER, startTime: time(startedAtMs), attributes },
        caller,
      );
      if (storeRead !== undefined) {
        const own = trace.setSpan(ROOT_CONTEXT, span);
        tracer
          .startSpan("store read", { kind: SpanKind.INTERNAL, startTime: time(storeRead.startedAtMs) }, own)
          .end(time(storeRead.endedAtMs));
      }
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(time(endedAtMs));
    },
    async stop() {
      const shutDown = provider.shutdown().catch(() => {}); // a collector that cannot be reached
      await within(STOP_TIMEOUT_MS, shutDown);
    },
  };
}

/** From `performance.now()` to the time of day, by this machine's clock as it is now. */
function epochTime(): (atMs: number) => HrTime {
  const offsetMs = Date.now() - performance.now();
  return (atMs) => {
    const epochMs = offsetMs + atMs;
    const seconds = Math.floor(epochMs / 1000);
    return [seconds, Math.round((epochMs - seconds * 1000) * 1e6)];
  };
}

const ROOTS = ["always_on", "always_off", "traceidratio"] as const;
const SAMPLERS = [...ROOTS, ...ROOTS.map((root) => `parentbased_${root}`)];

/** By default 1 % of requests, and those that a trusted caller samples. The share is drawn at random, because callers choose trace ids. */
export function sampler(environment: Environment): (request: RequestTrace) => boolean {
  const name = environment.OTEL_TRACES_SAMPLER || "parentbased_traceidratio";
  if (!SAMPLERS.includes(name))
    throw new UsageError(`OTEL_TRACES_SAMPLER: "${name}" is not one of ${SAMPLERS.join(", ")}`);
  const text = environment.OTEL_TRACES_SAMPLER_ARG || String(SHARE_DEFAULT);
  const share = name.endsWith("always_on") ? 1 : name.endsWith("always_off") ? 0 : Number(text);
  if (!(share >= 0 && share <= 1))
    throw new UsageError(`OTEL_TRACES_SAMPLER_ARG: "${text}" is not a share from 0 to 1`);
  const isDrawn = () => share > 0 && randomBytes(4).readUInt32BE() < share * 2 ** 32;
  const followsParent = name.startsWith("parentbased_");
  return ({ parent, isTrusted }) => {
    if (followsParent && parent !== null && isTrusted()) return parent.isSampled;
    return isDrawn();
  };
}
