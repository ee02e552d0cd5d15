// What `deployment.test.ts` cannot check with Bun alone: the manifests against the schemas of Kubernetes, the rules with promtool, and a
// signed release. Needs the npm registry, and Debian's `prometheus` and `minisign`.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attest } from "../../delivery/release.ts";
import { run } from "../../delivery/runtimes.ts";

const DELIVERY = join(import.meta.dir, "../../delivery");
const folder = mkdtempSync(join(tmpdir(), "rollcall-deployment-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("Kubernetes' schemas accept the manifests", () => {
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  run("npm", ["install", "--silent", "kubernetes-models@5.1.0"], folder);
  for (const name of ["sqlite", "postgres"]) {
    const script = `const documents = Bun.YAML.parse(await Bun.file(${JSON.stringify(join(DELIVERY, `kubernetes/${name}.yaml`))}).text());
      for (const one of documents) {
        const models = await import("kubernetes-models/" + (one.apiVersion.includes("/") ? one.apiVersion : "v1"));
        new models[one.kind](one).validate();
        console.log(one.kind);
      }`;
    expect(run(process.execPath, ["-e", script], folder)).toContain("Service");
  }
});

test("promtool accepts the rules", () => {
  expect(run("promtool", ["check", "rules", join(DELIVERY, "prometheus/rules.yaml")])).toContain("SUCCESS");
});

test("minisign verifies each file of a release, and refuses one that was changed", () => {
  const release = mkdtempSync(join(folder, "release-"));
  const [key, publicKey] = [join(folder, "minisign.key"), join(folder, "minisign.pub")];
  run("minisign", ["-G", "-W", "-s", key, "-p", publicKey]);
  const file = join(release, "rollcall.deb");
  writeFileSync(file, "bytes");
  attest(release, key);
  for (const signed of [file, `${file}.provenance.json`])
    expect(run("minisign", ["-V", "-p", publicKey, "-m", signed])).toContain("verified");
  writeFileSync(file, "other bytes");
  expect(() => run("minisign", ["-V", "-p", publicKey, "-m", file])).toThrow();
});
