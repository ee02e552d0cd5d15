// Metrics as an operator scrapes them: on a port of their own, in Prometheus' format, true, and about nobody.
import { expect, test } from "bun:test";
import { mkdirSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { send } from "../../http/socket.ts";
import { workersCsv } from "../../support/import-files.ts";
import { freePort } from "../../support/postgres.ts";
import { childrenOf } from "../../support/processes.ts";
import { done, inFolderWithCompany, prepared, rollcall, rollcallHere, whileServing } from "../command.ts";
import { type Family, parseMetrics, type Sample } from "./prometheus.ts";

interface Scraped {
  readonly text: string;
  readonly families: ReadonlyMap<string, Family>;
  /** The one sample of a name with these labels; 0 where it was never counted. */
  value(name: string, labels?: Record<string, string>): number;
}

interface Served {
  readonly folder: string;
  readonly address: string;
  readonly port: number;
  readonly metricsPort: number;
  readonly key: string;
  readonly keyId: string;
  readonly child: Bun.Subprocess;
  scrape(): Promise<Scraped>;
  call(path: string, init?: RequestInit): Promise<Response>;
}

const COMPANY = "quetzal-co";

/** A folder with a company of 40 workers and the files they came from, and a key. */
const inFolderWithWorkers = prepared(async (folder) => {
  await done(folder, "companies", "create", COMPANY, "--name", "Quetzal & Daughters");
  await done(folder, "generate", "--out", "made", "--workers", "40");
  await done(folder, "import", "made", "--company", COMPANY);
  const create = ["keys", "create", "--company", COMPANY, "--name", "Payroll of Quetzal", "--json"];
  return JSON.parse(await done(folder, ...create)) as { id: string; key: string };
});

async function whileScraped(work: (served: Served) => Promise<void>, ...more: string[]): Promise<void> {
  await inFolderWithWorkers(async (folder, made) => {
    const metricsPort = await freePort();
    const port = String(more.includes("--processes") ? await freePort() : 0);
    const args = ["serve", "--port", port, "--log", "none", "--metrics-port", String(metricsPort), ...more];
    await whileServing(folder, args, async (address, _printed, child) => {
      const headers = { "x-api-key": made.key };
      await work({
        folder,
        address,
        port: Number(new URL(address).port),
        metricsPort,
        key: made.key,
        keyId: made.id,
        child,
        scrape: async () => scraped(await fetch(`http://127.0.0.1:${metricsPort}/metrics`)),
        call: (path, init = {}) => fetch(address + path, { headers, ...init }),
      });
    });
  });
}

test("each kind of trouble begins at 0, so that an alert sees the first one", async () => {
  await whileScraped(async ({ scrape }) => {
    const samples = (await scrape()).families.get("rollcall_troubles_total")!.samples;
    expect(samples.map(({ labels, value }) => [labels.kind, value]).toSorted()).toEqual([
      ["fault", 0],
      ["unavailable", 0],
    ]);
  });
});

async function scraped(response: Response): Promise<Scraped> {
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await response.text();
  const families = parseMetrics(text);
  const misnamed = [...families].filter(([name, { type }]) => name.endsWith("_total") && type !== "counter");
  expect(misnamed).toEqual([]); // as promtool demands
  const samples = [...families.values()].flatMap((family) => family.samples);
  const fits = (sample: Sample, labels: Record<string, string>) =>
    Object.keys(sample.labels).length === Object.keys(labels).length &&
    Object.entries(labels).every(([name, value]) => sample.labels[name] === value);
  return {
    text,
    families,
    value: (name, labels = {}) =>
      samples.find((sample) => sample.name === name && fits(sample, labels))?.value ?? 0,
  };
}

test("every line has Prometheus' form, every family a type and words, every histogram adds up", () =>
  whileScraped(async ({ call, scrape }) => {
    for (const path of ["/v1/workers", "/v1/time_off/balances", "/v1/nothing"]) await call(path);
    const { families } = await scrape();
    for (const [name, { type, help, samples }] of families) {
      expect(["counter", "gauge", "histogram", "summary"]).toContain(type);
      expect(help).not.toBe("");
      if (name.startsWith("rollcall_"))
        expect(samples.every(({ value }) => Number.isFinite(value))).toBe(true);
      if (type === "counter") expect(name).toMatch(/_(total|seconds)$/);
    }
    const { samples } = families.get("rollcall_http_request_duration_seconds")!;
    const routes = new Set(samples.map(({ labels }) => labels.route));
    expect([...routes].toSorted()).toEqual(["/v1/time_off/balances", "/v1/workers", "unknown"]);
    for (const route of routes) {
      const own = samples.filter(({ labels }) => labels.route === route);
      const buckets = own.filter(({ name }) => name.endsWith("_bucket"));
      const counts = buckets.map(({ value }) => value);
      expect(counts).toEqual(counts.toSorted((a, b) => a - b));
      expect(buckets.at(-1)!.labels.le).toBe("+Inf");
      expect(counts.at(-1)).toBe(own.find(({ name }) => name.endsWith("_count"))!.value);
    }
  }));

test("what was asked is what is counted, to the request and the byte", () =>
  whileScraped(async ({ call, scrape }) => {
    const before = await scrape();
    let bytes = 0;
    const asked: readonly (readonly [string, number, string, number, RequestInit?])[] = [
      ["/v1/workers?limit=7", 5, "/v1/workers", 200],
      ["/v1/workers/wrk_nobody", 3, "/v1/workers/{id}", 404],
      ["/v1/workers?limit=0", 2, "/v1/workers", 400],
      ["/v1/time_off/requests?workerIds=x", 2, "/v1/time_off/requests", 400], // its text is not ASCII alone
      ["/v1/time_off/policies", 4, "/v1/time_off/policies", 401, { headers: {} }],
      ["/healthz", 2, "/healthz", 200],
    ];
    for (const [path, times, , , init = {}] of asked) {
      for (let time = 0; time < times; time++) {
        const response = await call(path, init);
        bytes += Number(response.headers.get("content-length"));
        await response.arrayBuffer();
      }
    }
    const after = await scrape();
    const grownBy = (name: string, labels?: Record<string, string>) =>
      after.value(name, labels) - before.value(name, labels);
    for (const [, times, route, status] of asked) {
      const labels = { route, method: "GET", status: String(status) };
      expect(grownBy("rollcall_http_requests_total", labels)).toBe(times);
    }
    expect(grownBy("rollcall_http_request_duration_seconds_count", { route: "/v1/workers" })).toBe(7);
    expect(grownBy("rollcall_http_response_bytes_total")).toBe(bytes);
    expect(after.value("process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
  }));

test("the age of the data: one sample per company, also of imports that other processes make meanwhile", () =>
  whileScraped(async ({ folder, scrape }) => {
    const name = "rollcall_last_import_timestamp_seconds";
    const ofCompany = { company: COMPANY, outcome: "success" };
    const first = await scrape();
    await rollcallHere(folder, ["companies", "create", "empty"]);
    const startedAt = Date.now() / 1000;
    await rollcallHere(folder, ["import", "made", "--company", COMPANY]);
    const second = await scrape();
    expect(first.families.get(name)!.samples).toHaveLength(1);
    expect(first.value(name, ofCompany)).toBeGreaterThan(startedAt - 600);
    expect(first.value(name, ofCompany)).toBeLessThan(startedAt);
    expect(second.value(name, ofCompany)).toBeGreaterThanOrEqual(startedAt);
    const empty = { labels: { company: "empty", outcome: "success" }, value: 0 };
    expect(second.families.get(name)!.samples).toMatchObject([empty, { labels: ofCompany }]);
  }));

test("what became of the last import's rows, and when one failed", () =>
  whileScraped(async ({ folder, scrape }) => {
    const rows = "rollcall_last_import_rows";
    const first = await scrape();
    expect(first.value(rows, { company: COMPANY, outcome: "added" })).toBeGreaterThan(40);
    await rollcallHere(folder, ["import", "made", "--company", COMPANY]);
    await rollcallHere(folder, ["companies", "create", "empty"]);
    const startedAt = Date.now() / 1000;
    mkdirSync(join(folder, "bad"));
    writeFileSync(join(folder, "bad/workers.csv"), "firstName\nAna\n");
    await rollcallHere(folder, ["import", "bad", "--company", COMPANY]);
    const second = await scrape();
    expect(second.value(rows, { company: COMPANY, outcome: "added" })).toBe(0);
    expect(second.value(rows, { company: COMPANY, outcome: "unchanged" })).toBe(
      first.value(rows, { company: COMPANY, outcome: "added" }),
    );
    const name = "rollcall_last_import_timestamp_seconds";
    expect(second.value(name, { company: COMPANY, outcome: "failure" })).toBeGreaterThanOrEqual(startedAt);
    expect(second.families.get(rows)!.samples.some(({ labels }) => labels.company === "empty")).toBe(false);
    const findings = "rollcall_last_import_findings";
    expect(second.families.get(findings)?.samples ?? []).toEqual([]);
    writeFileSync(join(folder, "workers.csv"), workersCsv("E1", "E2", "E3"));
    await rollcallHere(folder, ["import", "workers.csv", "--company", "empty"]);
    expect((await scrape()).value(findings, { company: "empty", code: "same-start-date" })).toBe(3);
  }));

test("how many balances differ from what was reported, once it was compared", () =>
  whileScraped(async ({ folder, scrape, call }) => {
    const { data } = (await (await call("/v1/time_off/balances?limit=2")).json()) as {
      data: { workerId: string; policyId: string }[];
    }; // the list
    const rows = data.map(({ workerId, policyId }) => `${workerId},${policyId},2026-01-31,-987654`);
    writeFileSync(join(folder, "reported.csv"), `workerId,policyId,date,minutes\n${rows.join("\n")}\n`);
    expect((await rollcallHere(folder, ["import", "reported.csv", "--company", COMPANY])).exitCode).toBe(0);
    const name = "rollcall_reported_differences";
    const differ = async () => (await scrape()).families.get(name)?.samples.map(({ value }) => value) ?? [];
    while ((await differ()).length === 0) await Bun.sleep(50);
    expect(await differ()).toEqual([2]);
  }));

test("when the newest backup was made, as a file or in a folder, and 0 without one", () =>
  inFolderWithWorkers(async (folder) => {
    const metricsPort = await freePort();
    const args = [
      "serve",
      "--port",
      "0",
      "--log",
      "none",
      "--metrics-port",
      `${metricsPort}`,
      "--backups",
      "kept",
    ];
    await whileServing(folder, args, async () => {
      const newest = async () =>
        (await scraped(await fetch(`http://127.0.0.1:${metricsPort}/metrics`))).families.get(
          "rollcall_last_backup_timestamp_seconds",
        )!.samples[0]!.value;
      expect(await newest()).toBe(0);
      mkdirSync(join(folder, "kept"));
      await done(folder, "backup", "--out", "kept/1.backup");
      const ofFile = await newest();
      expect(ofFile).toBeCloseTo(statSync(join(folder, "kept/1.backup")).mtimeMs / 1000, 2);
      utimesSync(join(folder, "kept/1.backup"), 1000, 1000);
      expect(await newest()).toBe(1000);
      await done(folder, "backup", "--into", "kept");
      expect(await newest()).toBeGreaterThanOrEqual(ofFile);
    });
  }));

test("a store that is gone leaves the age of the data out of the scrape, and nothing else", () =>
  whileScraped(async ({ folder, scrape }) => {
    renameSync(join(folder, "rollcall.db"), join(folder, "away.db"));
    await Bun.sleep(250); // longer than the server trusts that the file is there
    const { families } = await scrape();
    expect(families.get("rollcall_last_import_timestamp_seconds")?.samples ?? []).toEqual([]);
    expect(families.get("rollcall_build_info")!.samples).toHaveLength(1);
  }));

test("no label but those of imports tells of a company, none of a key or a person, and strange requests make no new ones", () =>
  whileScraped(async ({ call, scrape, port, key, keyId }) => {
    const workers = (await (await call("/v1/workers?limit=100")).json()) as {
      data: Record<string, string>[];
    }; // the list
    for (let i = 0; i < 40; i++) {
      await call(`/v1/Quetzal-${i}?workEmail=q${i}@example.com`);
      await call(`/v1/workers/wrk_quetzal${i}`);
      await send(port, `QUETZAL${i} /v1/workers HTTP/1.1\r\nHost: h\r\nx-api-key: ${key}\r\n\r\n`);
    }
    const { text: whole, families } = await scrape();
    const text = whole.replaceAll(
      new RegExp(
        `^rollcall_last_import_(timestamp_seconds|rows|held_seconds){company="${COMPANY}"(,outcome="[a-z]+")?} .*$`,
        "gm",
      ),
      "",
    );
    expect(text).not.toBe(whole);
    const secrets = [COMPANY, "Quetzal", "quetzal", "Payroll", key, key.slice(3, 20), keyId, "example.com"];
    const people = workers.data.flatMap(({ id, email, lastName }) => [id!, email!, lastName!]);
    for (const secret of [...secrets, ...people]) expect(text).not.toContain(secret);
    const { samples } = families.get("rollcall_http_requests_total")!;
    const series = samples.map(({ labels: { route, method, status } }) => `${method} ${route} ${status}`);
    expect(series.filter((one) => !one.startsWith("GET ") && !one.startsWith("other "))).toEqual([]);
    expect(series.length).toBeLessThanOrEqual(6);
  }));

test("they are on their own port alone, and that port has nothing else", () =>
  whileScraped(async ({ call, address, key, metricsPort }) => {
    for (const headers of [{ "x-api-key": key }, {}]) {
      const response = await call("/metrics", { headers });
      expect(response.status).toBe(404);
      expect(((await response.json()) as { code: string }).code).toBe("unknown_path");
    }
    for (const path of ["/", "/v1/workers", "/healthz", "/docs", "/metrics/"]) {
      const response = await fetch(`http://127.0.0.1:${metricsPort}${path}`, {
        headers: { "x-api-key": key },
      });
      expect([response.status, await response.text()]).toEqual([404, "Metrics are at /metrics\n"]);
    }
    expect(new URL(address).port).not.toBe(String(metricsPort));
  }));

test("they stay on loopback, also where the API listens on every address", () =>
  whileScraped(
    async ({ metricsPort, port }) => {
      const others = Object.values(networkInterfaces())
        .flatMap((one) => one ?? [])
        .filter(({ internal, family }) => !internal && family === "IPv4");
      for (const { address } of others) {
        expect((await fetch(`http://${address}:${port}/healthz`)).status).toBe(200);
        await expect(fetch(`http://${address}:${metricsPort}/metrics`)).rejects.toThrow();
      }
      expect((await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).status).toBe(200);
    },
    "--host",
    "0.0.0.0",
  ));

test("several processes are counted each under its own label; one that ends begins again, and hides no other", () =>
  whileScraped(
    async ({ call, scrape, child }) => {
      try {
        const name = "rollcall_http_requests_total";
        const responsesOf = ({ families }: Scraped) => {
          const byProcess: Record<string, number> = { 1: 0, 2: 0 };
          for (const { labels, value } of families.get(name)?.samples ?? [])
            byProcess[labels.process!]! += value;
          return byProcess;
        };
        const ask = async (times: number) => {
          for (let time = 0; time < times; time++) {
            await (await call("/v1/workers", { headers: { connection: "close" } })).arrayBuffer();
          }
        };
        let asked = 0;
        for (; asked < 400; asked += 20) {
          await ask(20);
          const { 1: first, 2: second } = responsesOf(await scrape());
          if (first! > 0 && second! > 0) break; // the kernel chooses who gets a connection
        }
        const before = await scrape();
        expect(responsesOf(before)["1"]! + responsesOf(before)["2"]!).toBe(asked + 20);
        const starts = before.families.get("process_start_time_seconds")!.samples;
        expect(starts.map(({ labels }) => labels.process).toSorted()).toEqual(["1", "2"]);
        const ages = before.families.get("rollcall_last_import_timestamp_seconds")!.samples;
        expect(ages.map(({ labels }) => labels)).toEqual([
          { company: COMPANY, outcome: "success", process: "1" },
        ]);

        const startOf = ({ families }: Scraped) =>
          Math.max(...families.get("process_start_time_seconds")!.samples.map(({ value }) => value));
        await Bun.sleep(2100); // one that ends sooner after its start ends the command
        process.kill(childrenOf(child.pid)[0]!, "SIGKILL");
        let after = await scrape();
        while (startOf(after) === startOf(before)) {
          await Bun.sleep(50); // scraping without a pause would keep the new process from starting
          after = await scrape();
        }
        const [ended, other] = responsesOf(after)["1"]! < responsesOf(before)["1"]! ? ["1", "2"] : ["2", "1"];
        expect(responsesOf(after)[ended!]).toBe(0);
        expect(responsesOf(after)[other!]).toBe(responsesOf(before)[other!]!);
        child.kill("SIGTERM");
        const lines = (await new Response(child.stderr as ReadableStream).text()).trim().split("\n"); // it is piped
        expect(lines.map((line) => JSON.parse(line))).toMatchObject([
          { process: Number(ended), ending: "SIGKILL" },
        ]);
      } finally {
        child.kill("SIGTERM"); // its processes are to end with it
        await child.exited;
      }
    },
    "--processes",
    "2",
    "--log",
    "problems",
  ));

test("a metrics port that is in use is named", () =>
  whileScraped(async ({ metricsPort }) => {
    await inFolderWithCompany(async (folder) => {
      const args = ["serve", "--port", "0", "--log", "none", "--metrics-port", String(metricsPort)];
      const { exitCode, stderr } = await rollcall(folder, args);
      expect(stderr).toContain(`Port ${metricsPort} is in use on 127.0.0.1`);
      expect(stderr).toContain("--metrics-port");
      expect(exitCode).toBe(1);
    });
  }));
