// npm run debian [-- --target=linux-x64|linux-arm64]: a Debian package with the executable, the systemd unit, a system user,
// settings in /etc/rollcall.env, man pages and completions.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import manifest from "../../package.json";
import { COMPLETION_SCRIPTS } from "../../src/cli/commands/completions.ts";
import { buildExecutable, targetsNamed } from "../build.ts";
import { buildOf, ROOT } from "../bundle.ts";
import { writeManPages } from "../man.ts";
import { notices } from "../notices.ts";
import { run, type Target } from "../runtimes.ts";

const ARCHITECTURES: Readonly<Record<string, string>> = { "linux-x64": "amd64", "linux-arm64": "arm64" };
const MAINTAINER = "The Rollcall authors <packages@rollcall.invalid>";
const COMPLETIONS: Readonly<Record<string, string>> = {
  bash: "usr/share/bash-completion/completions/rollcall",
  zsh: "usr/share/zsh/vendor-completions/_rollcall",
  fish: "usr/share/fish/vendor_completions.d/rollcall.fish",
};

/** Makes the package and returns its path. Needs `dpkg-deb`. */
export async function buildDebianPackage(target: Target): Promise<string> {
  const architecture = ARCHITECTURES[target.name];
  if (architecture === undefined)
    throw new Error(`there is a Debian package for ${Object.keys(ARCHITECTURES).join(" and ")} only`);
  const folder = join(ROOT, "dist/debian");
  const tree = join(folder, `tree-${architecture}`);
  rmSync(tree, { recursive: true, force: true });
  const put = (path: string, content: string | Buffer, mode = 0o644) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true, mode: 0o755 });
    writeFileSync(join(tree, path), content);
    chmodSync(join(tree, path), mode);
  };
  const own = (file: string) => readFileSync(join(import.meta.dir, file), "utf8");

  await buildExecutable(target, join(tree, "usr/bin/rollcall"), "Debian package");
  put("etc/rollcall.env", own("rollcall.env"), 0o640);
  put("lib/systemd/system/rollcall.service", readFileSync(join(ROOT, "examples/systemd/rollcall.service")));
  for (const unit of ["rollcall-import.service", "rollcall-import.timer", "rollcall-backup.service"]) {
    put(`usr/share/doc/rollcall/examples/${unit}`, readFileSync(join(ROOT, "examples/systemd", unit)));
  }
  for (const [shell, script] of Object.entries(COMPLETION_SCRIPTS)) put(COMPLETIONS[shell]!, `${script}\n`);
  const pages = join(folder, "man");
  for (const page of await writeManPages(pages))
    put(`usr/share/man/man1/${page}.gz`, gzipSync(readFileSync(join(pages, page)), { level: 9 }));
  put("usr/share/doc/rollcall/copyright", copyright());
  put("usr/share/doc/rollcall/THIRD-PARTY-NOTICES.gz", gzipSync(notices(), { level: 9 }));
  put("usr/share/doc/rollcall/changelog.gz", gzipSync(debianChangelog(), { level: 9 }));
  put("usr/share/lintian/overrides/rollcall", own("lintian-overrides"));
  for (const script of ["postinst", "prerm", "postrm"]) put(`DEBIAN/${script}`, own(script), 0o755);
  put("DEBIAN/conffiles", "/etc/rollcall.env\n");
  put("DEBIAN/control", control(architecture, sizeOf(tree)));
  put(
    "DEBIAN/md5sums",
    run(
      "sh",
      ["-c", "find . -type f ! -path './DEBIAN/*' -printf '%P\\n' | LC_ALL=C sort | xargs -d '\\n' md5sum"],
      tree,
    ),
  );
  run("find", [tree, "-type", "d", "-exec", "chmod", "755", "{}", "+"]);

  const path = join(folder, `rollcall_${manifest.version}_${architecture}.deb`);
  const environment = { ...process.env, SOURCE_DATE_EPOCH: String(Date.parse(buildOf("").date) / 1000) };
  run("dpkg-deb", ["--root-owner-group", "-Zxz", "-z1", "--build", tree, path], ROOT, environment);
  return path;
}

function control(architecture: string, bytes: number): string {
  return `Package: rollcall
Version: ${manifest.version}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: adduser, libc6 (>= 2.17)
Section: net
Priority: optional
Description: read-only JSON API over a company's workers and their time off
 Rollcall loads what an HR system exports and serves it to other programs:
 workers, time-off policies, requests, and balances that it computes.
 It keeps its data in an embedded SQLite store or in PostgreSQL.
`;
}

function copyright(): string {
  const paragraphs = readFileSync(join(ROOT, "LICENSE"), "utf8").trim().split("\n").slice(4);
  const text = paragraphs.map((line) => ` ${line === "" ? "." : line}`).join("\n");
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Rollcall
Comment: The executable contains Bun and other packages. Their licences are in
 THIRD-PARTY-NOTICES.gz beside this file. The texts of the GNU licences are
 in /usr/share/common-licenses.

Files: *
Copyright: 2026 The Rollcall authors
License: MIT

License: MIT
${text}
`;
}

function debianChangelog(): string {
  const date = new Date(buildOf("").date).toUTCString().replace("GMT", "+0000");
  return `rollcall (${manifest.version}) unstable; urgency=medium\n\n  * See CHANGELOG.md of the project.\n\n -- ${MAINTAINER}  ${date}\n`;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { target: { type: "string", default: `linux-${process.arch}` } } });
  for (const target of targetsNamed(values.target)) console.log(await buildDebianPackage(target));
}
