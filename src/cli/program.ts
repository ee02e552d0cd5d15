// The running program itself: how it was started, so that it can be started again.

/** Whether this is the one executable that `npm run build` makes. Its modules have no place on the disk. */
export const isExecutable = /^(?:\/\$bunfs\/|B:[\\/]~BUN[\\/])/.test(Bun.main);

/** Starts this command again with the same arguments, and with Bun's options of `bin/rollcall`. */
export function sameCommand(): string[] {
  const { execPath, execArgv, argv } = process;
  return isExecutable ? [execPath, ...argv.slice(2)] : [execPath, ...execArgv, ...argv.slice(1)];
}

const NUMBER = "ROLLCALL_PROCESS";

/** The number of this process among several on one port; null for a process that no other Rollcall started. */
export const childNumber: string | null = process.env[NUMBER] ?? null;

/** The environment of a child process with this number. */
export function childEnvironment(number: number): Record<string, string | undefined> {
  return { ...process.env, [NUMBER]: String(number) };
}
