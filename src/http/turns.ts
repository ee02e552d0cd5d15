// Requests that arrive together are handled together: first all are read from their connections, then they run one after the
// other, then their responses are sent. Code runs slowly for a while after a system call, so a page that is handled by itself,
// between one that reads and one that sends, takes a third more (docs/decisions/0046-requests-in-turns.md).
import type { App } from "./app.ts";

/** So many responses are sent together: the first of them waits for the others. */
export const SENT_TOGETHER = 16;

/** A request that is not done after so many microtasks waits for something outside. A page of the embedded store takes 17. */
const OWN_STEPS = 64;

interface Arrived {
  readonly run: () => Promise<Response>;
  readonly resolve: (response: Response) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The service, but requests run at the end of the turn of the event loop in which they arrive, in their order. One that waits for
 * something outside (a change, say) holds up neither those after it nor their responses. For the embedded store, whose requests
 * run to their end without waiting: on PostgreSQL nothing is gained.
 */
export function inTurns(app: App): App {
  let arrived: Arrived[] = [];

  const runAll = async () => {
    const requests = arrived;
    arrived = [];
    let isOver = false;
    let held: (() => void)[] = [];
    const send = () => {
      const responses = held;
      held = [];
      for (const respond of responses) respond();
    };
    for (const { run, resolve, reject } of requests) {
      let isDone = false;
      void run().then((response) => {
        isDone = true;
        if (isOver) resolve(response);
        else held.push(() => resolve(response));
      }, reject);
      for (let step = 0; step < OWN_STEPS && !isDone; step++) await null;
      if (held.length >= SENT_TOGETHER) send();
    }
    isOver = true;
    send();
  };

  return (...request) =>
    new Promise((resolve, reject) => {
      if (arrived.length === 0) setImmediate(() => void runAll());
      arrived.push({ run: () => app(...request), resolve, reject });
    });
}
