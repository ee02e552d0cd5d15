// Requests that arrive together are handled together: first all are read from their connections, then they run one after the
// other, then their responses are sent. Code runs slowly for a while after a system call, so a page that is handled by itself,
// between one that reads and one that sends, takes a third more (docs/decisions/0046-requests-in-turns.md).
//
// Bun closes a connection on which a request arrives before the response to the last one has begun. So only connections wait that
// have never pipelined: each request of theirs came after the response to the one before.

/** How many responses are sent together: the first of them waits for the others. */
export const SENT_TOGETHER = 16;

/**
 * A request that is not done after this many microtasks waits for something outside. On the embedded store a page takes none, or 7 if
 * its key has a limit; a page of the change feed takes 15 or 21.
 */
const OWN_STEPS = 64;

/** A connection that has sent this many requests, each after the response to the one before, will not pipeline. */
export const SENT_ALONE = 16;

/** The most connections that are known. Beyond it, all are forgotten, and are new when they send again. */
const CONNECTIONS = 10_000;

/** Bun closes a connection that is idle for this long. Another connection may have its port then. */
export const IDLE_TIMEOUT_SECONDS = 30;

interface Peer {
  readonly address: string;
  readonly port: number;
}

interface Connection {
  readonly address: string;
  /** Another connection from a port of this number. */
  readonly other: Connection | undefined;
  sentAlone: number;
  lastTurn: number;
  lastAtMs: number;
}

type Run = () => Response | Promise<Response>;

interface Arrived {
  readonly run: Run;
  readonly resolve: (response: Response) => void;
  readonly reject: (error: unknown) => void;
  /** Made, and to be sent together with others. */
  response: Response | null;
}

const nothing = () => {};

/**
 * Returns a function that runs the next request of a connection: at the end of the turn of the event loop, after those that came
 * before it, or at once if the connection may pipeline. A request that waits for something outside (a change, say) holds up neither
 * those after it nor their responses. `together` is called before the first of some requests runs, and the function that it returns
 * before their responses are sent.
 */
export function inTurns(
  together: () => () => void = () => nothing,
): (connection: Peer, run: Run) => Response | Promise<Response> {
  /** By port: a number is found faster than the text of port and address. */
  const connections = new Map<number, Connection>();
  let known = 0;
  let turn = 0;
  let turnBeganAtMs = 0;
  let isTurnNoted = false;
  let arrived: Arrived[] = [];

  const connectionOf = ({ address, port }: Peer): Connection => {
    const first = connections.get(port);
    let found = first;
    while (found !== undefined && found.address !== address) found = found.other;
    if (found !== undefined) return found;
    const isFull = known >= CONNECTIONS;
    if (isFull) connections.clear();
    known = isFull ? 1 : known + 1;
    const added = { address, other: isFull ? undefined : first, sentAlone: 0, lastTurn: -1, lastAtMs: 0 };
    connections.set(port, added);
    return added;
  };

  /** Notes a request. */
  const mayPipeline = (peer: Peer): boolean => {
    if (!isTurnNoted) {
      isTurnNoted = true;
      turnBeganAtMs = performance.now();
      setImmediate(() => {
        isTurnNoted = false;
        turn++;
      });
    }
    const connection = connectionOf(peer);
    if (turnBeganAtMs - connection.lastAtMs > IDLE_TIMEOUT_SECONDS * 1000) connection.sentAlone = 0;
    else if (connection.lastTurn === turn) connection.sentAlone = Number.NEGATIVE_INFINITY;
    connection.sentAlone++;
    connection.lastTurn = turn;
    connection.lastAtMs = turnBeganAtMs;
    return connection.sentAlone <= SENT_ALONE;
  };

  const runAll = async () => {
    const requests = arrived;
    arrived = [];
    const held = new Held();
    let end = together();
    for (const request of requests) {
      try {
        const made = request.run();
        if (made instanceof Promise) await held.waitFor(request, made);
        else held.add(request, made);
      } catch (error) {
        request.reject(error);
      }
      if (held.count < SENT_TOGETHER) continue;
      end();
      held.send();
      await null; // Bun sends them now
      end = together();
    }
    end();
    held.send();
    held.isOver = true;
  };

  return (connection, run) => {
    if (mayPipeline(connection)) return run();
    return new Promise((resolve, reject) => {
      if (arrived.length === 0) setImmediate(() => void runAll());
      arrived.push({ run, resolve, reject, response: null });
    });
  };
}

/** Responses of one turn that wait to be sent together. */
class Held {
  readonly #requests: Arrived[] = [];
  /** No more are held: what is ready later is sent at once. */
  isOver = false;

  get count(): number {
    return this.#requests.length;
  }

  add(request: Arrived, response: Response): void {
    if (this.isOver) request.resolve(response);
    else {
      request.response = response;
      this.#requests.push(request);
    }
  }

  /** Resolves when the response is made, or waits for something outside. */
  async waitFor(request: Arrived, made: Promise<Response>): Promise<void> {
    let isDone = false;
    void made.then((response) => {
      isDone = true;
      this.add(request, response);
    }, request.reject);
    for (let step = 0; step < OWN_STEPS && !isDone; step++) await null;
  }

  send(): void {
    for (const { resolve, response } of this.#requests) resolve(response!); // each was added with one
    this.#requests.length = 0;
  }
}
