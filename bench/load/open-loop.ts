// A load generator in its own process. Open loop: a clock starts requests, independent of earlier ones, like many separate callers.
// Closed loop: each connection sends its next request after a response. `bun open-loop.ts '<LoadPlan as JSON>'`.
import { ResponseReader, type WireResponse } from "./response.ts";

export interface LoadPlan {
  readonly port: number;
  readonly apiKey: string;
  readonly paths: readonly string[];
  readonly seconds: number;
  /** Requests of the first seconds are sent but not counted. */
  readonly warmUpSeconds: number;
  /** Connections open from the start. The open loop opens more if none is free. */
  readonly connections: number;
  /** The mean number of requests a second, at random moments (a Poisson process); null for the closed loop. */
  readonly perSecond: number | null;
}

export interface LoadResult {
  readonly asked: number;
  readonly connections: number;
  /** Responses by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Texts on 200s with another body than the path's right one, and on refusals without Retry-After or a problem body. */
  readonly wrong: readonly string[];
  /** Connections that ended without a response, or never responded. */
  readonly dropped: number;
  readonly responsesPerSecond: number;
  /** Milliseconds from the due moment of a request to its complete response: here of 200s, below of refusals. */
  readonly accepted: Spread;
  readonly refused: Spread;
  /** Milliseconds by which the generator sent requests late. */
  readonly lateness: Spread;
}

export interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Requests without a response at this time after the end of the load count as dropped. */
const PATIENCE_MS = 5000;

function spread(values: number[]): Spread {
  const sorted = Float64Array.from(values).toSorted();
  const at = (share: number) => Number((sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(2));
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

interface Asked {
  readonly path: string;
  readonly dueAtMs: number;
  readonly isCounted: boolean;
}

interface Connection {
  readonly reader: ResponseReader;
  asked: Asked | null;
  socket: Bun.Socket<undefined> | null;
}

class Generator {
  readonly #truths = new Map<string, bigint | number>();
  readonly #idle: Connection[] = [];
  readonly #open = new Set<Connection>();
  readonly #tally = { asked: 0, connections: 0, statuses: {} as Record<string, number>, dropped: 0 };
  readonly #wrong: string[] = [];
  readonly #times = { accepted: [] as number[], refused: [] as number[], lateness: [] as number[] };
  #next = 0;
  #endAtMs = 0;

  constructor(readonly plan: LoadPlan) {}

  async run(): Promise<LoadResult> {
    const { plan } = this;
    await this.#learnTruths();
    await Promise.all(Array.from({ length: plan.connections }, () => this.#connect(null)));
    const startedAtMs = performance.now();
    const countFromMs = startedAtMs + plan.warmUpSeconds * 1000;
    this.#endAtMs = startedAtMs + plan.seconds * 1000;
    if (plan.perSecond === null) {
      for (const connection of [...this.#idle]) this.#ask(connection, performance.now(), countFromMs);
      this.#closedFromMs = countFromMs;
      await Bun.sleep(plan.seconds * 1000);
    } else await this.#askByClock(plan.perSecond, startedAtMs, countFromMs);
    const giveUpAtMs = performance.now() + PATIENCE_MS;
    while ([...this.#open].some(({ asked }) => asked !== null) && performance.now() < giveUpAtMs)
      await Bun.sleep(5);
    for (const { asked } of this.#open) if (asked !== null) this.#tally.dropped++;
    return {
      ...this.#tally,
      wrong: this.#wrong.slice(0, 20),
      responsesPerSecond: this.#times.accepted.length / (plan.seconds - plan.warmUpSeconds),
      accepted: spread(this.#times.accepted),
      refused: spread(this.#times.refused),
      lateness: spread(this.#times.lateness),
    };
  }

  #closedFromMs: number | null = null;

  /** Before the load, reads the right response of each path. */
  async #learnTruths(): Promise<void> {
    const { port, apiKey, paths } = this.plan;
    for (const path of paths) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { "x-api-key": apiKey } });
      if (response.status !== 200) throw new Error(`${path} returned ${response.status}`);
      this.#truths.set(path, Bun.hash(await response.bytes()));
    }
  }

  async #askByClock(perSecond: number, startedAtMs: number, countFromMs: number): Promise<void> {
    const gapMs = () => (-Math.log(1 - Math.random()) * 1000) / perSecond;
    let dueAtMs = startedAtMs + gapMs();
    while (dueAtMs < this.#endAtMs) {
      const nowMs = performance.now();
      while (dueAtMs <= nowMs && dueAtMs < this.#endAtMs) {
        const connection = this.#idle.pop();
        if (connection === undefined) void this.#connect({ dueAtMs, countFromMs });
        else this.#ask(connection, dueAtMs, countFromMs);
        dueAtMs += gapMs();
      }
      await Bun.sleep(1);
    }
  }

  #ask(connection: Connection, dueAtMs: number, countFromMs: number): void {
    const path = this.plan.paths[this.#next++ % this.plan.paths.length]!;
    const isCounted = dueAtMs >= countFromMs;
    connection.asked = { path, dueAtMs, isCounted };
    if (isCounted) {
      this.#tally.asked++;
      this.#times.lateness.push(performance.now() - dueAtMs);
    }
    connection.socket!.write(
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${this.plan.apiKey}\r\n\r\n`,
    );
  }

  /** Opens a connection and sends the request that is due, if any. */
  async #connect(due: { dueAtMs: number; countFromMs: number } | null): Promise<void> {
    const connection: Connection = { reader: new ResponseReader(), asked: null, socket: null };
    this.#tally.connections++;
    const lost = () => {
      if (!this.#open.delete(connection)) return;
      const at = this.#idle.indexOf(connection);
      if (at !== -1) this.#idle.splice(at, 1);
      if (connection.asked !== null) this.#tally.dropped++;
    };
    try {
      connection.socket = await Bun.connect({
        hostname: "127.0.0.1",
        port: this.plan.port,
        socket: { data: (_, piece) => this.#received(connection, piece), close: lost, error: lost },
      });
    } catch {
      this.#tally.dropped++;
      return;
    }
    this.#open.add(connection);
    if (due === null) this.#idle.push(connection);
    else this.#ask(connection, due.dueAtMs, due.countFromMs);
  }

  #received(connection: Connection, piece: Buffer): void {
    const response = connection.reader.push(piece);
    if (response === null) return;
    const { asked } = connection;
    connection.asked = null;
    if (asked?.isCounted) this.#count(asked, response);
    if (this.#closedFromMs !== null && performance.now() < this.#endAtMs)
      this.#ask(connection, performance.now(), this.#closedFromMs);
    else this.#idle.push(connection);
  }

  #count({ path, dueAtMs }: Asked, { status, head, body }: WireResponse): void {
    const tookMs = performance.now() - dueAtMs;
    this.#tally.statuses[status] = (this.#tally.statuses[status] ?? 0) + 1;
    if (status === 200) {
      this.#times.accepted.push(tookMs);
      if (Bun.hash(body) !== this.#truths.get(path)) this.#wrong.push(`another response at ${path}`);
      return;
    }
    this.#times.refused.push(tookMs);
    const isProblem = /^content-type: application\/problem\+json$/im.test(head);
    const code = isProblem ? (JSON.parse(body.toString()) as { code?: string }).code : undefined; // checked here
    if (status !== 503 || code !== "overloaded" || !/^retry-after: [1-9]\d*$/im.test(head))
      this.#wrong.push(`${head}\n${body}`);
  }
}

if (import.meta.main) {
  const plan = JSON.parse(process.argv[2]!) as LoadPlan; // from bench/overload.ts
  console.log(JSON.stringify(await new Generator(plan).run()));
  process.exit(0);
}
