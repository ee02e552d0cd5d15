// The page's texts: every language has every text with the values of the English one, and no component has a text of its own.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { IntlMessageFormat } from "intl-messageformat";
import en from "../../src/web/texts/en.json";
import { LANGUAGES, type Texts } from "../../src/web/texts/languages.ts";

const folder = join(import.meta.dir, "../../src/web");

type Element = ReturnType<IntlMessageFormat["getAst"]>[number];

/** The names of the values and tags in a message. */
function namesIn(elements: readonly Element[]): string[] {
  return elements.flatMap((element): string[] => {
    const own = "value" in element && element.type !== 0 ? [String(element.value)] : [];
    const inner = "children" in element ? namesIn(element.children) : [];
    const options =
      "options" in element ? Object.values(element.options).flatMap(({ value }) => namesIn(value)) : [];
    return [...own, ...inner, ...options];
  });
}

const namesOf = (text: string, language: string) =>
  new Set(namesIn(new IntlMessageFormat(text, language).getAst()));

test.each(LANGUAGES)(
  "%s has every text, with the same values, and plurals for each of its numbers",
  async (language) => {
    const texts: Texts = await Bun.file(join(folder, `texts/${language}.json`)).json();
    expect(Object.keys(texts)).toEqual(Object.keys(en));
    for (const [key, text] of Object.entries(texts)) {
      const english = en[key as keyof Texts];
      expect(text.trim(), key).not.toBe("");
      const [own, theirs] = [namesOf(text, language), namesOf(english, "en")];
      for (const name of own) expect([key, name, theirs.has(name)]).toEqual([key, name, true]);
      // A language may say a number in words alone: of two values for one number, one is enough.
      for (const name of theirs) if (!own.has(name)) expect([key, name]).toEqual([key, "count"]);
      const values = Object.fromEntries([...theirs].map((name) => [name, 3 as unknown]));
      const tags = Object.fromEntries(
        ["b", "code", "when"].map((tag) => [tag, (parts: string[]) => parts.join("")]),
      );
      expect(
        String(new IntlMessageFormat(text, language).format({ ...values, ...tags } as never)),
        key,
      ).not.toBe("");
    }
  },
);

test("each language has a file that is not the English one: few texts are the same", async () => {
  for (const language of LANGUAGES.filter((each) => each !== "en")) {
    const texts: Texts = await Bun.file(join(folder, `texts/${language}.json`)).json();
    const same = Object.entries(texts).filter(
      ([key, text]) => text === en[key as keyof Texts] && /[a-z]{4}/i.test(text),
    );
    expect([language, same.length < 20]).toEqual([language, true]);
  }
});

/** The word for a policy, and one for many, which no amount of one day may have as its verb. */
const WORDS: Partial<Record<(typeof LANGUAGES)[number], { policy: RegExp; plural: RegExp }>> = {
  de: { policy: /Regelung/, plural: /können(?! Sie)/ },
  es: { policy: /política/, plural: /pueden/ },
  fr: { policy: /règle/, plural: /peuvent/ },
  it: { policy: /regola/, plural: /possono/ },
  ja: { policy: /休暇制度/, plural: /$^/ },
  nl: { policy: /regeling/, plural: /kunnen/ },
  pl: { policy: /zasad/, plural: /$^/ },
  pt: { policy: /política/, plural: /podem/ },
};

test.each(Object.entries(WORDS))(
  "%s calls a policy by one name, and an amount may be one day",
  async (language, { policy, plural }) => {
    const texts: Texts = await Bun.file(join(folder, `texts/${language}.json`)).json();
    expect(texts["field.policy"].toLowerCase()).toMatch(new RegExp(policy, "i"));
    for (const key of ["closes.cause.rule", "closes.cause.assignment", "closes.cause.moved"] as const)
      expect(texts[key], key).toMatch(policy);
    for (const [key, text] of Object.entries(texts))
      if (/\{(?:amount|left)\}/.test(text)) expect(text, key).not.toMatch(plural);
  },
);

/** What shows words: text between tags, the attributes that people hear or see, and sentences in literals. */
const SHOWN = [
  /(?<!=)>\s*([A-Z][a-z]+[^<>{}=;()]*)<\//g,
  /\b(?:aria-label|placeholder|title|label|legend|what|alt)="([^"]+)"/g,
  /(?:Title|return|\?|:|=) ?\(?"([A-Z][a-z]+ [^"]*)"/g,
];

test("no component has a text of its own", async () => {
  const found: string[] = [];
  for await (const path of new Bun.Glob("**/*.tsx").scan(folder)) {
    const code = (await Bun.file(join(folder, path)).text())
      .replaceAll(/\/\*[\s\S]*?\*\//g, "")
      .replaceAll(/(^|\s)\/\/.*$/gm, "")
      .replaceAll(/new Error\("[^"]*"\)/g, "");
    for (const pattern of SHOWN)
      for (const [, text] of code.matchAll(pattern)) found.push(`${path}: ${text}`);
  }
  expect(found).toEqual([]);
});

test("style sheets name no side of the screen, which is another one in Arabic", async () => {
  const found: string[] = [];
  for await (const path of new Bun.Glob("style/*.css").scan(folder)) {
    const css = await Bun.file(join(folder, path)).text();
    for (const [line, property, value] of css.matchAll(/^ *(padding|margin|inset): ([^;]+);/gm)) {
      const [, right, , left] = value!.match(/(?:[^\s(]|\((?:[^()]|\([^()]*\))*\))+/g)!;
      if (left !== undefined && left !== right) found.push(`${path}: ${line.trim()}, for ${property}-inline`);
    }
    for (const [line] of css.matchAll(
      /^ *(?:(?:padding|margin|border)-(?:left|right)|left|right|float): .*/gm,
    ))
      found.push(`${path}: ${line.trim()}`);
  }
  expect(found).toEqual([]);
});
