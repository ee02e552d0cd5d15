// Progress on a terminal's stderr: rows, and the time left where that is known. Nothing anywhere else.

const REDRAW_MS = 200;
const ESTIMATE_AFTER_MS = 1000;

export interface Progress {
  /** `done`: how much of the work, 0 to 1; null where that is not known. */
  show(rows: number, done: number | null): void;
  /** Takes the line away again. */
  clear(): void;
}

export function showProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { show() {}, clear() {} };
  const startedAt = performance.now();
  let drawnAt = 0;
  return {
    show(rows, done) {
      const now = performance.now();
      if (now - drawnAt < REDRAW_MS) return;
      drawnAt = now;
      const elapsedMs = now - startedAt;
      const isKnown = done !== null && done > 0 && elapsedMs >= ESTIMATE_AFTER_MS;
      const left = isKnown
        ? ` · ${Math.round(done * 100)} % · ${duration((elapsedMs / done) * (1 - done))} left`
        : "";
      stream.write(`\r\x1b[2K${rows.toLocaleString("en")} rows${left}`);
    },
    clear() {
      if (drawnAt > 0) stream.write("\r\x1b[2K");
      drawnAt = 0;
    },
  };
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
