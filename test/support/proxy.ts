// A small TCP proxy that can stop forwarding, like a network that loses packets: nothing is closed, and nothing arrives.
import { connect, createServer, type Socket } from "node:net";

export interface TcpProxy {
  readonly port: number;
  freeze(): void;
  thaw(): void;
  /** From now on connections go to another port of this machine; those that there are stay where they are. */
  leadTo(target: number): void;
  /** How many pieces of data went through, in either direction. */
  readonly forwarded: number;
  close(): Promise<void>;
}

/** Forwards to a port of this machine, through a port of its own. */
export async function startProxy(firstTarget: number): Promise<TcpProxy> {
  let target = firstTarget;
  const pairs = new Set<readonly [Socket, Socket]>();
  let frozen = false;
  let forwarded = 0;
  const server = createServer((inner) => {
    const outer = connect(target, "127.0.0.1");
    const pair = [inner, outer] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [outer, inner] as const]) {
      if (frozen) from.pause();
      from.on("data", (data) => {
        forwarded++;
        to.write(data);
      });
      from.on("error", () => {});
      from.on("close", () => {
        if (frozen) return; // not even the end of a connection gets through
        to.destroy();
        pairs.delete(pair);
      });
      if (frozen) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const each = (work: (socket: Socket) => void) => {
    for (const pair of pairs) pair.forEach(work);
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    get forwarded() {
      return forwarded;
    },
    freeze() {
      frozen = true;
      each((socket) => void socket.pause());
    },
    thaw() {
      frozen = false;
      each((socket) => void socket.resume());
      for (const pair of pairs) {
        if (!pair.some((socket) => socket.destroyed)) continue;
        for (const socket of pair) socket.destroy();
        pairs.delete(pair);
      }
    },
    leadTo(other) {
      target = other;
    },
    async close() {
      each((socket) => void socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
