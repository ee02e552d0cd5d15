// Checks the environment: variables that no command reads, and values that `rollcall serve` would refuse.
import { distance } from "fastest-levenshtein";
import { SETTINGS, type Setting } from "../../settings.ts";
import type { Finding } from "../../store/engine.ts";
import { SERVE_OPTIONS } from "../commands/serve.ts";
import { CliFailure } from "../failure.ts";
import { type ServeOptions, serveSettings } from "../serving/settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** `known` are the variables that some command reads. */
export function environmentFindings(environment: Environment, known: ReadonlySet<string>): Finding[] {
  const findings: Finding[] = [];
  for (const name of Object.keys(environment)) {
    if (!name.startsWith("ROLLCALL_") || known.has(name)) continue;
    const nearest = [...known].toSorted((left, right) => distance(name, left) - distance(name, right))[0];
    findings.push({
      check: "settings",
      problem: `${name} is set, and no command reads it`,
      advice: `unset it${nearest === undefined ? "" : `; did you mean ${nearest}?`}`,
    });
  }
  try {
    serveSettings(serveOptions(environment));
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    findings.push({
      check: "settings",
      problem: `rollcall serve would refuse its settings: ${error.message}`,
      advice: "correct that option's environment variable: see rollcall serve --help",
    });
  }
  return findings;
}

/** The options of `rollcall serve` when only the environment sets them. */
function serveOptions(environment: Environment): ServeOptions {
  const options: Record<string, string | undefined> = {};
  for (const name of ["db", ...SERVE_OPTIONS] as const) {
    const setting: Setting = SETTINGS[name];
    const value = environment[setting.env] ?? setting.default;
    if (value !== undefined) options[name] = value;
  }
  return options as unknown as ServeOptions; // every option that has no default is optional there
}
