// The forms of delivery, made here, and installed outside the checkout as users do it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json";
import { buildExecutable } from "../build.ts";
import { buildDebianPackage } from "../debian/debian.ts";
import { buildImage, IMAGE_ENVIRONMENT } from "../image/image.ts";
import { ownTarget, run, TARGETS } from "../runtimes.ts";

/** A form that can be run. `command`: the words before the arguments. `environment`: all variables that the form gets. */
export interface Form {
  readonly name: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** False if a start is enough: for an emulated form, or one that is tried completely in another way. */
  readonly isWhole: boolean;
}

/** The exit code of `podman run` if it could not start the container. */
const ENGINE_FAILED = 126;

/** Something could not be tried on this machine. The message says what, and why. */
export class NotTried extends Error {}

export function has(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
}

function target(name: string) {
  return TARGETS.find((target) => target.name === name)!; // the table has every target
}

export async function executable(folder: string): Promise<Form> {
  const path = await buildExecutable(ownTarget(), join(folder, "rollcall"));
  return { name: "executable", command: [path], environment: {}, isWhole: true };
}

/** The npm package. It needs a shell and its tools, so its PATH is the system's. */
export async function npmPackage(folder: string): Promise<Form> {
  run("npm", ["pack", "--silent", "--pack-destination", folder]);
  const prefix = join(folder, "global");
  mkdirSync(prefix);
  run(
    "npm",
    ["install", "--global", "--silent", "--prefix", prefix, `./rollcall-${manifest.version}.tgz`],
    folder,
  );
  const importing = `import { Rollcall } from "rollcall/client"; if (typeof Rollcall !== "function") process.exit(1);`;
  run("node", ["--input-type=module", "-e", importing], join(prefix, "lib/node_modules/rollcall"));
  return {
    name: "npm package",
    command: [join(prefix, "bin/rollcall")],
    environment: { PATH: "/usr/bin:/bin" },
    isWhole: true,
  };
}

/** Runs the image's files by chroot: as its user, and read-only except for the volume. Needs root. Checks that there is no shell. */
export async function containerImage(folder: string): Promise<Form> {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !has("unshare")) {
    throw new NotTried(
      "the image needs root on Linux, to run in a file system of its own without a container engine",
    );
  }
  const archive = await buildImage(ownTarget());
  const layout = join(archive, "../oci");
  let root = join(archive, "../rootfs");
  if (has("umoci")) {
    run("umoci", ["unpack", "--image", `${layout}:${manifest.version}`, join(folder, "bundle")]);
    root = join(folder, "bundle/rootfs");
  }
  if (existsSync(join(root, "bin/sh")) || existsSync(join(root, "usr/bin/sh")))
    throw new Error("the image has a shell");
  // The form's working folder becomes the volume.
  const script = `root=$1; shift
mount --bind "$root" "$root" && mount -o remount,ro,bind "$root"
mount --bind . "$root/data" && { chown 10001:10001 "$root/data" 2>/dev/null || true; } && mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev"
exec chroot --userspec=10001:10001 "$root" /usr/bin/rollcall "$@"`;
  const { PATH: _, ...environment } = IMAGE_ENVIRONMENT; // the script needs this machine's PATH
  return {
    name: `container image${has("umoci") ? "" : " (its files; umoci is not installed)"}`,
    command: ["unshare", "--mount", "sh", "-c", script, "sh", root],
    // chroot starts at the root, not in the image's working folder.
    environment: { ...environment, ROLLCALL_DB: "/data/rollcall.db", PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    isWhole: true,
  };
}

/** The image in Podman: loaded from its archive, and built from the Dockerfile. `containerImage` tries the same files completely. */
export async function podman(folder: string): Promise<Form> {
  if (!has("podman"))
    throw new NotTried(
      "podman is not installed, so no container was started and the Dockerfile was not built",
    );
  const archive = await buildImage(ownTarget());
  const loaded = `docker.io/library/rollcall:${manifest.version}`;
  const built = "localhost/rollcall-tried";
  run("podman", ["load", "--input", archive]);
  run("podman", ["build", "--file", "delivery/image/Dockerfile", "--tag", built, join(archive, "..")]);
  for (const image of [loaded, built]) {
    const { status, stderr } = spawnSync("podman", ["run", "--rm", image, "--version"], { encoding: "utf8" });
    if (status === ENGINE_FAILED) throw new NotTried(`podman starts no container here: ${stderr.trim()}`);
    if (status !== 0) throw new Error(`${image} --version ended with ${status}:\n${stderr}`);
  }
  run("chown", ["10001:10001", join(folder, "../empty")]); // the working folder and volume
  const { PATH = "", HOME = "" } = process.env;
  return {
    name: "container image",
    command: ["sh", "-c", `exec podman run --rm --read-only --network host -v .:/data ${loaded} "$@"`, "sh"],
    environment: { PATH, HOME },
    isWhole: false,
  };
}

/** The executable of the unpacked Debian package. `debianInstallation` tries to install the package. */
export async function debianPackage(folder: string): Promise<Form> {
  if (!has("dpkg-deb")) throw new NotTried("dpkg-deb is not installed");
  const built = await buildDebianPackage(ownTarget());
  const path = join(folder, "rollcall.deb");
  renameSync(built, path);
  run("dpkg-deb", ["-x", path, join(folder, "unpacked")]);
  return {
    name: "Debian package",
    command: [join(folder, "unpacked/usr/bin/rollcall")],
    environment: {},
    isWhole: true,
  };
}

/** Installs, upgrades, removes and purges the package in a new Debian. Checks it with lintian and systemd. */
export function debianInstallation(folder: string, path: string): readonly string[] {
  const done: string[] = [];
  if (has("lintian")) {
    const { stdout } = spawnSync("lintian", ["--fail-on", "error", path], { encoding: "utf8" });
    if (/^E: /m.test(stdout)) throw new Error(`lintian reports errors:\n${stdout}`);
    done.push("lintian reports no error");
  }
  if (has("systemd-analyze")) {
    const unit = join(import.meta.dir, "../../examples/systemd/rollcall.service");
    const rating = /exposure level for rollcall.service: ([\d.]+)/.exec(
      run("systemd-analyze", ["security", "--offline=true", unit]),
    )?.[1];
    if (!(Number(rating) < 1.5)) throw new Error(`systemd-analyze security rates the unit ${rating}`);
    done.push(`systemd-analyze security rates the unit ${rating}`);
  }
  if (!has("debootstrap") || process.getuid?.() !== 0) return done;
  const root = join(folder, "debian");
  run("debootstrap", ["--variant=minbase", "--include=adduser,init-system-helpers", "bookworm", root]);
  run("cp", [path, join(root, "root/rollcall.deb")]);
  const steps = `set -e
mount -t proc proc "$0/proc"
exec chroot "$0" sh -ec '
export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
dpkg -i /root/rollcall.deb
test "$(stat -c %U:%a /var/lib/rollcall)" = rollcall:700
runuser -u rollcall -- env ROLLCALL_DB=/var/lib/rollcall/rollcall.db rollcall companies create acme
dpkg -i /root/rollcall.deb
runuser -u rollcall -- env ROLLCALL_DB=/var/lib/rollcall/rollcall.db rollcall companies list | grep acme
dpkg -r rollcall
test -f /var/lib/rollcall/rollcall.db
dpkg -P rollcall
test ! -e /var/lib/rollcall -a ! -e /etc/rollcall.env
! getent passwd rollcall'`;
  run("unshare", ["--mount", "sh", "-c", steps, root]);
  done.push("installs, upgrades, removes and purges on Debian 12");
  return done;
}

/** The executable for arm64, emulated. */
export async function arm64(folder: string): Promise<Form> {
  const emulator = ["qemu-aarch64-static", "qemu-aarch64"].find(has);
  if (process.arch === "arm64" || emulator === undefined)
    throw new NotTried("qemu-user-static is not installed, so the arm64 executable was not started");
  await buildImage(target("linux-arm64"));
  const root = join(import.meta.dir, "../../dist/image/linux-arm64/rootfs");
  const path = await buildExecutable(target("linux-arm64"), join(folder, "rollcall-arm64"));
  return {
    name: "arm64 executable",
    command: [run("which", [emulator]).trim(), "-L", root, path],
    environment: {},
    isWhole: false,
  };
}
