/**
 * Waits for a promise that is to be rejected, and gives a function that throws its error, for `toThrow`. Bun's own `rejects` blocks the
 * event loop while it waits: what needs timers or sockets to end takes seconds.
 */
export async function rejection(promise: Promise<unknown>): Promise<() => never> {
  const error: unknown = await promise.then(
    () => new Error("It was not rejected"),
    (reason: unknown) => reason,
  );
  return () => {
    throw error;
  };
}
