// When an import into the embedded store gets a thread of its own, and where the thread's code is.

/** Starting the thread takes a tenth of a second: as long as importing a tenth of this. */
const FROM_BYTES = 2_000_000;

declare const ROLLCALL_BUILD: unknown;

/** Its source, or where `delivery/bundle.ts` puts it. */
export const THREAD_ENTRY = new URL(
  typeof ROLLCALL_BUILD === "undefined" ? "./import-thread.ts" : "./import-thread.js",
  import.meta.url,
);

/** Whether files of so many bytes are worth a thread. */
export function isLarge(sourceBytes: number): boolean {
  return sourceBytes >= FROM_BYTES;
}
