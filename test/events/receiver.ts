// A receiver on this machine: it keeps what it gets, and answers as it is told.
export interface Received {
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  readonly message: {
    readonly id: string;
    readonly type: string;
    readonly timestamp: string;
    readonly data: Record<string, unknown>;
  };
}

export type Respond = (received: Received) => Response | Promise<Response>;

export function receiver(respond: Respond = () => new Response(null, { status: 204 })) {
  const received: Received[] = [];
  const state = { respond };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 30,
    async fetch(request) {
      const body = await request.text();
      const path = new URL(request.url).pathname;
      const one = { path, headers: request.headers, body, message: JSON.parse(body) };
      received.push(one);
      return state.respond(one);
    },
  });
  return {
    received,
    url: `http://127.0.0.1:${server.port}`,
    answer: (next: Respond) => {
      state.respond = next;
    },
    /** Waits until so many messages came. */
    async until(count: number): Promise<void> {
      const untilMs = Date.now() + 45_000;
      while (received.length < count && Date.now() < untilMs) await Bun.sleep(20);
      if (received.length < count) throw new Error(`${received.length} of ${count} messages came`);
    },
    types: () => received.map(({ message }) => message.type),
    stop: () => server.stop(true),
  };
}
