// Admission: who is served next, and whom the server refuses when it has more work than it can do (decision 0007).
//
// Capacity is shared fairly. Each caller has a share: its key's, or its address's while the key is not known. While one share
// has the server to itself, requests run at once, and what could only be answered late is shed. While several share it,
// requests beyond a slice of time wait, and the share that has used least is next: start-time fair queueing (Goyal, Vin and
// Cheng, 1996), with the measured duration of a request as its cost. So a caller that uses less than its fair share waits for
// at most the requests that are running, whatever others send.
//
// Controlled delay bounds the wait in both cases (Maurer, "Fail at Scale", ACM Queue 13:8, 2015): a burst may take 100 ms. A
// queue that stays non-empty for 100 ms is overload, not a burst, and is kept much shorter.

const BURST_MS = 100;

/** A queue that stays non-empty for this long is overload. */
const OVERLOAD_AFTER_MS = 100;

/** Requests up to this number are never shed, however slow they are: callers that wait for each response are not refused. */
const ALWAYS_ADMITTED = 32;

/** Requests that run at one time. On the embedded store a request runs to its end, so this bounds waiting for PostgreSQL. */
const BURST_IN_FLIGHT = 1000;
const IN_FLIGHT = 48;

export interface Admission {
  /** Admits a request of a share: at once, or when the share is due. Null if the request is shed. */
  acquire(share: string): Release | null | Promise<Release | null>;
}

/** Must be called once, when the request has its response. */
export type Release = () => void;

export interface AdmissionParts {
  readonly nowMs: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (callback: () => void) => void;
}

const REAL: AdmissionParts = { nowMs: () => performance.now(), nextTurn: setImmediate };

// One share ------------------------------------------------------------------------------------------------------------

/** How long a turn of the event loop may run requests during overload. */
const OVERLOAD_TURN_MS = 5;

/** The queue is empty if the loop was idle before this turn, and nothing was shed lately. */
const IDLE_GAP_MS = 0.5;
const RECOVERED_AFTER_MS = 1000;

/**
 * Requests that are ready at the same moment are handled in one turn of the event loop. The length of a turn is therefore
 * how long a request waits.
 */
function turns({ nowMs, nextTurn }: AdmissionParts) {
  let startedAtMs: number | null = null;
  let lastEndedAtMs = Number.NEGATIVE_INFINITY;
  /** Since when the queue has not been empty. */
  let queuedSinceMs = 0;
  let admitted = 0;
  let lastShedAtMs = Number.NEGATIVE_INFINITY;
  const start = (now: number, inFlight: number): number => {
    const wasIdle = now - lastEndedAtMs > IDLE_GAP_MS && inFlight < ALWAYS_ADMITTED;
    if (wasIdle && now - lastShedAtMs > RECOVERED_AFTER_MS) queuedSinceMs = now;
    admitted = 0;
    startedAtMs = now;
    nextTurn(() => {
      startedAtMs = null;
      lastEndedAtMs = nowMs();
    });
    return now;
  };
  return {
    /** How long requests have been running in this turn. */
    elapsedMs: (now: number, inFlight: number) => now - (startedAtMs ?? start(now, inFlight)),
    /** Whether this turn runs one more request of the share that has it to itself, or it waits for a later turn, or is shed. */
    admits(now: number, inFlight: number): "now" | "later" | "never" {
      const turnStartedAtMs = startedAtMs ?? start(now, inFlight);
      const isOverload = turnStartedAtMs - queuedSinceMs > OVERLOAD_AFTER_MS;
      const isSpent =
        admitted >= ALWAYS_ADMITTED && now - turnStartedAtMs > (isOverload ? OVERLOAD_TURN_MS : BURST_MS);
      if (isSpent || inFlight >= (isOverload ? IN_FLIGHT : BURST_IN_FLIGHT)) {
        lastShedAtMs = now;
        return "never";
      }
      admitted++;
      // Requests that take long must not keep the loop from reading those of others.
      return now - turnStartedAtMs > BURST_MS ? "later" : "now";
    },
  };
}

// Several shares -------------------------------------------------------------------------------------------------------

/** How long requests run before the event loop reads new ones, which may belong to a share that is due first. */
const SLICE_MS = 5;

/** Several shares use the server if this many requests of the last second came from another share than the one before. */
const CHANGES = 4;
const SHARED_FOR_MS = 1000;

/** How long a request may wait during overload. */
const OVERLOAD_WAIT_MS = 20;

/** No request waits longer than this: its caller has given up, or soon will. */
const LONGEST_WAIT_MS = 3000;

/** Requests that wait in all queues together. One more is shed from the longest queue. */
const QUEUED = 2000;

/** Shares that are remembered. Beyond it, those with nothing running or waiting are forgotten. */
const SHARES = 10_000;

/** How much the newest cost of a share's requests counts in the estimate of its next one. */
const NEWEST_COST_WEIGHT = 0.25;

/** What one caller has used, and what it waits for. */
interface Share {
  /** The virtual time up to which this share has used its part. */
  usedUntil: number;
  /** What its next request will probably cost, in milliseconds. */
  costMs: number;
  running: number;
  readonly queue: Waiting[];
  queuedSinceMs: number;
}

interface Waiting {
  readonly sinceMs: number;
  readonly resolve: (release: Release | null) => void;
}

export function fairAdmission(parts: AdmissionParts = REAL): Admission {
  const { nowMs, nextTurn } = parts;
  const turn = turns(parts);
  const shares = new Map<string, Share>();
  const waiting = new Set<Share>();
  let queued = 0;
  let inFlight = 0;
  /** Virtual time: how much each share that always wanted to run has got, in milliseconds. */
  let virtualMs = 0;
  /** The mean cost of requests lately: the estimate for a share that is new. */
  let meanCostMs = 0;
  let lastShare: Share | null = null;
  /** When requests of another share came, oldest first. */
  const changedAtMs: number[] = Array(CHANGES).fill(Number.NEGATIVE_INFINITY);
  let isDispatching = false;

  const shareOf = (name: string): Share => {
    let share = shares.get(name);
    if (share === undefined) {
      if (shares.size >= SHARES) forgetIdle();
      share = { usedUntil: virtualMs, costMs: meanCostMs, running: 0, queue: [], queuedSinceMs: 0 };
      shares.set(name, share);
    }
    return share;
  };

  const forgetIdle = () => {
    for (const [name, share] of shares)
      if (share.running === 0 && share.queue.length === 0) shares.delete(name);
  };

  const isShared = (share: Share, now: number): boolean => {
    const isChange = share !== lastShare && lastShare !== null;
    lastShare = share;
    if (isChange) {
      changedAtMs.shift();
      changedAtMs.push(now);
    }
    return isChange || now - changedAtMs[0]! < SHARED_FOR_MS;
  };

  const start = (share: Share, startedAtMs: number, released?: () => void): Release => {
    virtualMs = Math.max(virtualMs, share.usedUntil);
    const chargedMs = share.costMs;
    share.usedUntil = virtualMs + chargedMs;
    share.running++;
    inFlight++;
    const concurrency = inFlight;
    return () => {
      const costMs = (nowMs() - startedAtMs) / concurrency;
      share.usedUntil += costMs - chargedMs;
      share.costMs += (costMs - share.costMs) * NEWEST_COST_WEIGHT;
      meanCostMs += (costMs - meanCostMs) * NEWEST_COST_WEIGHT;
      share.running--;
      inFlight--;
      released?.();
      if (queued > 0) dispatchNextTurn();
    };
  };

  const enqueue = (share: Share, sinceMs: number): Promise<Release | null> => {
    if (share.queue.length === 0) {
      share.queuedSinceMs = sinceMs;
      waiting.add(share);
    }
    const admitted = new Promise<Release | null>((resolve) => share.queue.push({ sinceMs, resolve }));
    queued++;
    if (queued > QUEUED) shedFromLongest();
    dispatchNextTurn();
    return admitted;
  };

  const shedFromLongest = () => {
    let longest: Share | undefined;
    for (const share of waiting)
      if (longest === undefined || share.queue.length > longest.queue.length) longest = share;
    longest!.queue.pop()!.resolve(null);
    removed(longest!);
  };

  const removed = (share: Share) => {
    queued--;
    if (share.queue.length === 0) waiting.delete(share);
  };

  /** Of the shares that wait, the one that has used least. */
  const due = (): Share => {
    let least: Share | undefined;
    for (const share of waiting)
      if (least === undefined || Math.max(share.usedUntil, virtualMs) < Math.max(least.usedUntil, virtualMs))
        least = share;
    return least!;
  };

  /** A share that has nothing running may start a request, even if another share's burst fills the server. */
  const mayStart = (share: Share): boolean =>
    inFlight < IN_FLIGHT || (share.running === 0 && inFlight < 2 * BURST_IN_FLIGHT);

  const waitedTooLong = (share: Share, sinceMs: number, now: number): boolean => {
    const waitedMs = now - sinceMs;
    if (waitedMs > LONGEST_WAIT_MS) return true;
    if (share.queue.length < ALWAYS_ADMITTED) return false;
    const isOverload = now - share.queuedSinceMs > OVERLOAD_AFTER_MS;
    return waitedMs > (isOverload ? OVERLOAD_WAIT_MS : BURST_MS);
  };

  /** Runs what is due until the slice is over. A request that waits for the store does not hold up the next. */
  const dispatch = async () => {
    const startedAtMs = nowMs();
    let now = startedAtMs;
    while (queued > 0 && now - startedAtMs < SLICE_MS) {
      const share = due();
      if (!mayStart(share)) break;
      const { sinceMs, resolve } = share.queue.shift()!;
      const isShed = waitedTooLong(share, sinceMs, now);
      removed(share);
      if (isShed) {
        resolve(null);
        continue;
      }
      await new Promise<void>((goOn) => {
        resolve(start(share, now, goOn));
        nextTurn(goOn);
      });
      now = nowMs();
    }
    isDispatching = false;
    if (queued > 0 && mayStart(due())) dispatchNextTurn();
  };

  const dispatchNextTurn = () => {
    if (isDispatching) return;
    isDispatching = true;
    nextTurn(() => void dispatch());
  };

  return {
    acquire(name) {
      const now = nowMs();
      const share = shareOf(name);
      const others = isShared(share, now) || inFlight > share.running;
      if (queued > 0) return enqueue(share, now);
      if (!others) {
        const when = turn.admits(now, inFlight);
        if (when === "later") return enqueue(share, now);
        return when === "now" ? start(share, now) : null;
      }
      const isFree = mayStart(share) && turn.elapsedMs(now, inFlight) < SLICE_MS;
      return isFree ? start(share, now) : enqueue(share, now);
    },
  };
}
