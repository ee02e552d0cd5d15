// The origin of a released file, as an in-toto statement with SLSA provenance: its digest, its commit and its build command.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import manifest from "../package.json";
import { buildOf } from "./bundle.ts";

/** See https://slsa.dev/spec/v1.0/provenance. The same commit gives the same statement. */
export function provenanceOf(path: string): object {
  const { commit } = buildOf("release");
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [
      {
        name: basename(path),
        digest: { sha256: createHash("sha256").update(readFileSync(path)).digest("hex") },
      },
    ],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "npm run release",
        externalParameters: { version: manifest.version },
        resolvedDependencies: [
          { name: "source", digest: { gitCommit: commit } },
          { name: "bun", uri: `pkg:npm/bun@${manifest.devDependencies.bun}` },
        ],
      },
      runDetails: { builder: { id: "npm run release" } },
    },
  };
}
