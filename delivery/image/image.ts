// npm run image [-- --target=linux-x64|linux-arm64]: makes a container image in the OCI layout, without a daemon. It has the executable and
// the C library that this needs, but no shell. The Dockerfile beside this file builds the same image.
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import manifest from "../../package.json";
import { buildExecutable, targetsNamed } from "../build.ts";
import { buildOf, ROOT } from "../bundle.ts";
import { notices } from "../notices.ts";
import { run, type Target } from "../runtimes.ts";

/** The id of the user who runs the command, and who owns only the volume. */
const USER = 10001;
const VOLUME = "data";

/**
 * Temporary files go to the volume, because the image's folders are often read-only and a `/tmp` in memory is small. The store is in the
 * volume, too, which is the working folder. `ROLLCALL_DB` is not set, because it would conflict with `ROLLCALL_DB_FILE`.
 */
export const IMAGE_ENVIRONMENT = {
  PATH: "/usr/bin",
  ROLLCALL_HOST: "0.0.0.0",
  TMPDIR: `/${VOLUME}`,
};

interface Architecture {
  /** The name in OCI's terms. */
  readonly name: string;
  /** The folder of this architecture's libraries on Debian, where the loader looks for them. */
  readonly folder: string;
  readonly loader: string;
  /** Debian's package of these libraries for cross-building on another architecture. */
  readonly crossPackage: string;
}

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  "linux-x64": {
    name: "amd64",
    folder: "x86_64-linux-gnu",
    loader: "lib64/ld-linux-x86-64.so.2",
    crossPackage: "libc6-amd64-cross",
  },
  "linux-arm64": {
    name: "arm64",
    folder: "aarch64-linux-gnu",
    loader: "lib/ld-linux-aarch64.so.1",
    crossPackage: "libc6-arm64-cross",
  },
};

const LIBRARIES = ["libc.so.6", "libpthread.so.0", "libdl.so.2", "libm.so.6"];

/** The image's names in the archive. Podman and Docker read the second, which has the whole name; other tools read the tag in the first. */
export const IMAGE_NAMES: Readonly<Record<string, string>> = {
  "org.opencontainers.image.ref.name": manifest.version,
  "io.containerd.image.name": `docker.io/library/rollcall:${manifest.version}`,
};

/** Makes the image and returns the path of its archive, for `docker load` and `podman load`. */
export async function buildImage(target: Target): Promise<string> {
  const architecture = ARCHITECTURES[target.name];
  if (architecture === undefined)
    throw new Error(`there is an image for ${Object.keys(ARCHITECTURES).join(" and ")} only`);
  const folder = join(ROOT, "dist/image", target.name);
  rmSync(folder, { recursive: true, force: true });
  const root = join(folder, "rootfs");
  await fillRoot(root, target, architecture);
  const layer = join(folder, "rootfs.tar");
  packRoot(root, layer);
  const archive = join(folder, `rollcall-${manifest.version}-${target.name}.oci.tar`);
  writeLayout(join(folder, "oci"), readFileSync(layer), architecture);
  run("tar", [...REPRODUCIBLE, "--owner=0", "--group=0", "-cf", archive, "-C", join(folder, "oci"), "."]);
  return archive;
}

async function fillRoot(
  root: string,
  target: Target,
  { folder, loader, crossPackage }: Architecture,
): Promise<void> {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  await buildExecutable(target, join(root, "usr/bin/rollcall"), "container image");
  put(
    "etc/passwd",
    `root:x:0:0:root:/:/sbin/nologin\nrollcall:x:${USER}:${USER}:Rollcall:/${VOLUME}:/sbin/nologin\n`,
  );
  put("etc/group", `root:x:0:\nrollcall:x:${USER}:\n`);
  put("etc/nsswitch.conf", "hosts: files dns\n");
  put("usr/share/doc/rollcall/THIRD-PARTY-NOTICES.txt", notices());
  for (const directory of [VOLUME, "tmp", "dev", "proc", "sys"])
    mkdirSync(join(root, directory), { recursive: true });
  const libraries = librariesOf(folder, crossPackage);
  mkdirSync(join(root, "lib", folder), { recursive: true });
  for (const library of LIBRARIES)
    copyFileSync(join(libraries.path, library), join(root, "lib", folder, library));
  mkdirSync(dirname(join(root, loader)), { recursive: true });
  copyFileSync(join(libraries.path, basename(loader)), join(root, loader));
  put("usr/share/doc/libc6/copyright", readFileSync(libraries.copyright, "utf8"));
  run("find", [root, "-type", "d", "-exec", "chmod", "755", "{}", "+"]);
  run("find", [root, "-type", "f", "-exec", "chmod", "644", "{}", "+"]);
  for (const program of ["usr/bin/rollcall", loader]) chmodSync(join(root, program), 0o755);
  chmodSync(join(root, VOLUME), 0o700);
  chmodSync(join(root, "tmp"), 0o1777);
}

/** Debian's C library: of this machine, or for another architecture from a downloaded package. */
function librariesOf(folder: string, crossPackage: string): { path: string; copyright: string } {
  const own = { path: join("/lib", folder), copyright: "/usr/share/doc/libc6/copyright" };
  if (existsSync(join(own.path, "libc.so.6"))) return own;
  const cache = join(ROOT, "node_modules/.cache/rollcall", crossPackage);
  const cross = {
    path: join(cache, "usr", folder, "lib"),
    copyright: join(cache, "usr/share/doc", crossPackage, "copyright"),
  };
  if (!existsSync(cross.path)) {
    const download = mkdtempSync(join("/tmp", "rollcall-libc-"));
    try {
      run("apt-get", ["download", crossPackage], download);
      mkdirSync(cache, { recursive: true });
      run("sh", ["-c", `dpkg -x ${crossPackage}_*.deb "$0"`, cache], download);
    } finally {
      rmSync(download, { recursive: true, force: true });
    }
  }
  return cross;
}

/** Options of tar for reproducible archives, without user names, file order or times of this machine. */
export const REPRODUCIBLE = ["--sort=name", "--numeric-owner", "--format=ustar", "--mtime=@0"];

function packRoot(root: string, layer: string): void {
  const base = [...REPRODUCIBLE, "-C", root];
  run("tar", [...base, "--owner=0", "--group=0", `--exclude=./${VOLUME}`, "-cf", layer, "."]);
  run("tar", [...base, `--owner=${USER}`, `--group=${USER}`, "-rf", layer, `./${VOLUME}`]);
}

/** Writes an image of one layer: https://github.com/opencontainers/image-spec. */
function writeLayout(folder: string, layer: Buffer, { name }: Architecture): void {
  const blobs = join(folder, "blobs/sha256");
  mkdirSync(blobs, { recursive: true });
  const blob = (content: string | Buffer, mediaType: string) => {
    const digest = createHash("sha256").update(content).digest("hex");
    writeFileSync(join(blobs, digest), content);
    return { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(content) };
  };
  const { commit, date } = buildOf("container image");
  const created = `${date}T00:00:00Z`;
  const annotations = {
    "org.opencontainers.image.title": "Rollcall",
    "org.opencontainers.image.description": manifest.description,
    "org.opencontainers.image.version": manifest.version,
    "org.opencontainers.image.revision": commit,
    "org.opencontainers.image.licenses": manifest.license,
    "org.opencontainers.image.created": created,
  };
  const config = blob(
    JSON.stringify({
      created,
      architecture: name,
      os: "linux",
      config: {
        User: `${USER}:${USER}`,
        ExposedPorts: { "4010/tcp": {} },
        Env: Object.entries(IMAGE_ENVIRONMENT).map(([name, value]) => `${name}=${value}`),
        Entrypoint: ["/usr/bin/rollcall"],
        Cmd: ["serve"],
        Volumes: { [`/${VOLUME}`]: {} },
        WorkingDir: `/${VOLUME}`,
        StopSignal: "SIGTERM",
        // An extension of Docker, which other programs ignore.
        Healthcheck: {
          Test: ["CMD", "/usr/bin/rollcall", "healthcheck"],
          Interval: 30e9,
          Timeout: 11e9,
          StartPeriod: 10e9,
          Retries: 3,
        },
        Labels: annotations,
      },
      rootfs: { type: "layers", diff_ids: [`sha256:${createHash("sha256").update(layer).digest("hex")}`] },
      history: [{ created, created_by: "npm run image" }],
    }),
    "application/vnd.oci.image.config.v1+json",
  );
  const layers = [blob(gzipSync(layer, { level: 9 }), "application/vnd.oci.image.layer.v1.tar+gzip")];
  const image = blob(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config,
      layers,
      annotations,
    }),
    "application/vnd.oci.image.manifest.v1+json",
  );
  const reference = {
    ...image,
    platform: { architecture: name, os: "linux" },
    annotations: IMAGE_NAMES,
  };
  writeFileSync(join(folder, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: [reference] }));
  writeFileSync(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  // Docker before 25 reads this instead of the layout.
  const path = ({ digest }: { readonly digest: string }) => `blobs/${digest.replace(":", "/")}`;
  const legacy = {
    Config: path(config),
    RepoTags: [`rollcall:${manifest.version}`],
    Layers: layers.map(path),
  };
  writeFileSync(join(folder, "manifest.json"), JSON.stringify([legacy]));
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { target: { type: "string", default: `linux-${process.arch}` } } });
  for (const target of targetsNamed(values.target)) console.log(await buildImage(target));
}
