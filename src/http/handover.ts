// Hands a port over from one listener to another without dropping a connection. Both listen with SO_REUSEPORT, so the kernel
// spreads new connections over them, and closing one would reset the connections that are still being set up on it. So a
// filter first steers new connections to the other listener. Linux only: elsewhere such connections may be reset.
import { dlopen, FFIType, ptr } from "bun:ffi";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Of asm-generic/socket.h, which x64 and arm64 share. */
const SOL_SOCKET = 1;
const SO_ATTACH_REUSEPORT_CBPF = 51;

/** The instruction "return a constant" of classic BPF (linux/bpf_common.h: BPF_RET | BPF_K). */
const RETURN_CONSTANT = 0x06;

const LIBC = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

/**
 * Steers new connections on a port to the listener with this index: 0 is the one that began to listen first, in whichever
 * process. The kernel spreads them again as soon as so few listeners are left that there is none with this index. Returns
 * false if the kernel cannot do that.
 */
export function steerConnections(port: number, index: number): boolean {
  if (process.platform !== "linux") return false;
  const [listener] = listeningDescriptors(port);
  if (listener === undefined) return false;
  const instruction = new BigUint64Array([BigInt(RETURN_CONSTANT) | (BigInt(index) << 32n)]);
  // struct sock_fprog: the number of instructions, padding, and their address.
  const program = new DataView(new ArrayBuffer(16));
  program.setUint16(0, 1, true);
  program.setBigUint64(8, BigInt(ptr(instruction)), true);
  const { i32, ptr: pointer, u32 } = FFIType;
  for (const name of LIBC) {
    try {
      const libc = dlopen(name, { setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 } });
      return (
        libc.symbols.setsockopt(listener, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, ptr(program.buffer), 16) === 0
      );
    } catch {
      // Another C library: try the next name.
    }
  }
  return false;
}

/** The descriptors of this process that listen on a port. */
function listeningDescriptors(port: number): number[] {
  const inodes = new Set<string>();
  const hexPort = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  for (const table of ["tcp", "tcp6"]) {
    for (const line of readLines(`/proc/self/net/${table}`)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === "0A" && local?.endsWith(hexPort) && inode !== undefined) inodes.add(`socket:[${inode}]`);
    }
  }
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((descriptor) => {
      try {
        return inodes.has(readlinkSync(`/proc/self/fd/${descriptor}`));
      } catch {
        return false; // the descriptor of this listing itself, closed by now
      }
    });
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return []; // no IPv6, or no /proc
  }
}
