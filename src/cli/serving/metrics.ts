// Prometheus metrics of requests, hooks, backups and imports. They have their own port, which callers of the API cannot reach.
import { stat } from "node:fs/promises";
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from "prom-client";
import { ROW_OUTCOMES, readFailureRecord, readImportRecord } from "../../import/report.ts";
import type { Observe } from "../../observe.ts";
import type { StoredHook } from "../../store/hooks.ts";
import type { LastImports } from "../../store/store.ts";
import { build, within } from "../program.ts";

/** The counts of one process, in a form that can be sent to another. */
export type Counts = readonly MetricObjectWithValues<MetricValue<string>>[];

export interface Metrics {
  readonly observe: Observe;
  counts(): Promise<Counts>;
  /** From now on, each scrape reports each hook. */
  reportHooks(read: () => Promise<readonly StoredHook[]>): void;
  /** From now on, each scrape reports the newest backup in this folder. */
  reportBackups(folder: string): void;
  /** From now on, each scrape reports each company's last imports. `read` returns at most `limit` companies. */
  reportImports(read: (limit: number) => Promise<readonly LastImports[]>, differences: DifferencesOf): void;
}

/** How many balances differ from the reported ones, by company. */
type DifferencesOf = (companyIds: readonly string[]) => ReadonlyMap<string, number>;

/** Limits the size of a scrape. `rollcall companies list` shows all companies. */
const COMPANIES_LIMIT = 1000;

/** The scrape succeeds without a store that takes longer. */
const IMPORTS_TIMEOUT_MS = 500;

/** The rows that were read; none if that fails or takes too long. /readyz reports an unavailable store. */
async function readInTime<T>(read: Promise<readonly T[]>): Promise<readonly T[]> {
  return (
    (await within(
      IMPORTS_TIMEOUT_MS,
      read.catch(() => []),
    )) ?? []
  );
}

/** The values of a gauge's labels, and the gauge's value. */
type Sample = readonly [labels: readonly string[], value: number];

function readImports({ id, dataAsOfMs, lastImport, lastFailure }: LastImports) {
  return { id, dataAsOfMs, record: readImportRecord(lastImport), failure: readFailureRecord(lastFailure) };
}

type ReadImports = ReturnType<typeof readImports>;

/** Starts counting. Every metric gets `labels`, which tell processes apart. */
export function countMetrics(labels: Readonly<Record<string, string>>): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels(labels);
  collectDefaultMetrics({ register: registry });
  registry.removeSingleMetric("process_heap_bytes"); // it counts reserved address space, not memory
  // Gauges of Node that are named as counters: promtool warns of them.
  for (const counted of ["handles", "requests", "resources"])
    registry.removeSingleMetric(`nodejs_active_${counted}_total`);
  const { version, commit, form, bun } = build();
  new Gauge({
    name: "rollcall_build_info",
    help: "The running build. The value is always 1.",
    labelNames: ["version", "commit", "build", "bun"],
    registers: [registry],
  }).set({ version, commit, build: form, bun }, 1);
  const requests = new Counter({
    name: "rollcall_http_requests_total",
    help: "Responses, by route, method and status.",
    labelNames: ["route", "method", "status"],
    registers: [registry],
  });
  const durations = new Histogram({
    name: "rollcall_http_request_duration_seconds",
    help: "Time from a request's arrival to its response, by route.",
    labelNames: ["route"],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  const toolCalls = new Counter({
    name: "rollcall_mcp_tool_calls_total",
    help: "Calls of assistants, by tool and outcome.",
    labelNames: ["tool", "outcome"],
    registers: [registry],
  });
  const responseBytes = new Counter({
    name: "rollcall_http_response_bytes_total",
    help: "Bytes of response bodies, as sent.",
    registers: [registry],
  });
  const troubles = new Counter({
    name: "rollcall_troubles_total",
    help: "Server faults, and times when the store was unavailable.",
    labelNames: ["kind"],
    registers: [registry],
  });
  // Prometheus sees no increase in a counter that first appears with its first fault.
  for (const kind of ["fault", "unavailable"]) troubles.inc({ kind }, 0);
  /** A gauge whose samples are collected at each scrape. */
  const gauge = (name: string, help: string, labelNames: string[], samples: () => Promise<Sample[]>) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const collected = await samples();
        this.reset();
        for (const [labels, value] of collected) this.labels(...labels).set(value);
      },
    });
  return {
    observe(observation) {
      if (observation.kind === "request") {
        const { route, method, status } = observation; // each has few possible values
        requests.inc({ route, method, status });
        durations.observe({ route }, observation.durationMs / 1000);
        responseBytes.inc(observation.bytes);
        if (observation.called !== null) {
          const { tool, isError } = observation.called;
          toolCalls.inc({ tool, outcome: isError ? "error" : "ok" });
        }
      } else if (observation.kind === "fault" || observation.kind === "unavailable") {
        troubles.inc({ kind: observation.kind });
      }
    },
    counts: () => registry.getMetricsAsJSON(),
    reportHooks(read) {
      gauge(
        "rollcall_hook_failures",
        "How often the next message to the hook failed, and whether the hook is paused.",
        ["company", "hook", "paused"],
        async () => {
          const hooks = await readInTime(read());
          return hooks
            .slice(0, COMPANIES_LIMIT)
            .map(({ id, companyId, paused, failures }) => [[companyId, id, paused ?? "no"], failures]);
        },
      );
    },
    reportBackups(folder) {
      gauge(
        "rollcall_last_backup_timestamp_seconds",
        "When the newest backup was made or found to be up to date, in seconds since 1970; 0 if there is none.",
        [],
        async () => [[[], (await newestBackupMs(folder).catch(() => 0)) / 1000]], // such as when its disk is not mounted
      );
    },
    reportImports(read, differences) {
      let reading: Promise<readonly ReadImports[]> | null = null;
      /** One read serves all metrics of a scrape. */
      const imports = (): Promise<readonly ReadImports[]> => {
        reading ??= readInTime(read(COMPANIES_LIMIT).then((all) => all.map(readImports))).finally(() => {
          reading = null;
        });
        return reading;
      };
      const importGauge = (
        name: string,
        help: string,
        labelNames: string[],
        samplesOf: (imports: ReadImports) => readonly Sample[],
      ) => gauge(name, help, labelNames, async () => (await imports()).flatMap(samplesOf));
      importGauge(
        "rollcall_last_import_timestamp_seconds",
        "When the company's last import of this outcome ended, in seconds since 1970; 0 if none succeeded.",
        ["company", "outcome"],
        ({ id, dataAsOfMs, failure }) => {
          const success: Sample = [[id, "success"], (dataAsOfMs ?? 0) / 1000];
          return failure === null ? [success] : [success, [[id, "failure"], failure.endedAtMs / 1000]];
        },
      );
      importGauge(
        "rollcall_last_pull_timestamp_seconds",
        "When the pull began whose files the company's last successful import read, in seconds since 1970.",
        ["company"],
        ({ id, record }) => (record?.pulledAtMs == null ? [] : [[[id], record.pulledAtMs / 1000]]),
      );
      importGauge(
        "rollcall_last_import_rows",
        "Rows of the company's last successful import, by outcome.",
        ["company", "outcome"],
        ({ id, record }) =>
          record === null ? [] : ROW_OUTCOMES.map((outcome) => [[id, outcome], record.rows[outcome]]),
      );
      importGauge(
        "rollcall_last_import_held_seconds",
        "How long the company's last successful import held the company's lock, in seconds.",
        ["company"],
        ({ id, record }) => (record === null ? [] : [[[id], record.heldMs / 1000]]),
      );
      importGauge(
        "rollcall_last_import_findings",
        "Findings of the company's last successful import, by code.",
        ["company", "code"],
        ({ id, record }) => (record?.findings ?? []).map(({ code, count }) => [[id, code], count]),
      );
      gauge(
        "rollcall_reported_differences",
        "How many balances differ from those that another system reported. Up to date from the second scrape after an import.",
        ["company"],
        async () => {
          const counts = differences((await imports()).map(({ id }) => id));
          return [...counts].map(([id, differ]) => [[id], differ]);
        },
      );
    },
  };
}

/** Serves `/metrics` for all processes together. Raises the kernel's error if it cannot listen. */
export function serveMetrics(host: string, port: number, counts: () => Promise<readonly Counts[]>) {
  return Bun.serve({
    hostname: host,
    port,
    routes: {
      "/metrics": async () => {
        const all = AggregatorRegistry.aggregate((await counts()).map(summed));
        // prom-client writes "Nan" for a mean of nothing; the format says "NaN".
        const text = (await all.metrics()).replace(/ Nan$/gm, " NaN");
        return new Response(text, { headers: { "content-type": all.contentType } });
      },
    },
    fetch: () => new Response("Metrics are at /metrics\n", { status: 404 }),
  });
}

/** Makes prom-client sum each metric. Labels differ between processes, so each keeps its own samples. */
function summed(counts: Counts): Counts {
  return counts.map((count) => ({ ...count, aggregator: "sum" }));
}

/** When the newest file of `rollcall backup` was written; 0 if there is none. */
async function newestBackupMs(folder: string): Promise<number> {
  let newestMs = 0;
  for await (const path of new Bun.Glob("*.backup").scan({ cwd: folder, absolute: true }))
    newestMs = Math.max(newestMs, (await stat(path)).mtimeMs);
  return newestMs;
}
