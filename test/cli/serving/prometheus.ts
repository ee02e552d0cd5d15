// The text format of Prometheus, read strictly (prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4).

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]?Inf|[+-]?[0-9.]+(?:e[+-]?\d+)?)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/y;
const SUFFIXES = ["", "_bucket", "_sum", "_count"];

/** The families of a scrape by name. Raises an Error for a line that the format does not allow. */
export function parseMetrics(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const families = new Map<string, { type: string; help: string; samples: Sample[] }>();
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, word, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (word !== undefined) {
      const family = families.get(name) ?? { type: "", help: "", samples: [] };
      families.set(name, family);
      family[word === "HELP" ? "help" : "type"] = rest;
      continue;
    }
    const found = SAMPLE.exec(line);
    if (found === null) throw new Error(`no sample: ${line}`);
    const sample = { name: found[1]!, labels: labelsOf(found[2] ?? ""), value: Number(found[3]) };
    const owner = SUFFIXES.map((suffix) => families.get(sample.name.slice(0, -suffix.length || undefined)));
    const family = owner.find((one, at) => one !== undefined && sample.name.endsWith(SUFFIXES[at]!));
    if (family === undefined) throw new Error(`of no family: ${line}`);
    family.samples.push(sample);
  }
  return families;
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  for (let at = 0; at < text.length; at = LABEL.lastIndex) {
    const found = LABEL.exec(text);
    if (found === null) throw new Error(`no labels: ${text}`);
    if (Object.hasOwn(labels, found[1]!)) throw new Error(`a label twice: ${text}`);
    labels[found[1]!] = found[2]!;
  }
  return labels;
}
