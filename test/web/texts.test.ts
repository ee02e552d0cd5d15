// The page's texts: every language has every text with the values of the English one, and no component has a text of its own.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { IntlMessageFormat } from "intl-messageformat";
import type { BalanceDetailCode } from "../../src/client/index.ts";
import { enumerated } from "../../src/web/data/format.ts";
import { detailIn } from "../../src/web/people/detail.ts";
import { partsText } from "../../src/web/policies/rules.ts";
import en from "../../src/web/texts/en.json";
import { ENGLISH, LANGUAGES, type Texts, textsOf } from "../../src/web/texts/languages.ts";
import { speak } from "../../src/web/texts/texts.ts";

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

/** The word for a policy. */
const POLICY: Partial<Record<(typeof LANGUAGES)[number], RegExp>> = {
  de: /Regelung/,
  es: /política/,
  fr: /règle/,
  it: /regola/,
  ja: /休暇制度/,
  nl: /regeling/,
  pl: /zasad/,
  pt: /política/,
};

test.each(Object.entries(POLICY))("%s calls a policy by one name", async (language, policy) => {
  const texts: Texts = await Bun.file(join(folder, `texts/${language}.json`)).json();
  expect(texts["field.policy"].toLowerCase()).toMatch(new RegExp(policy, "i"));
  for (const key of ["closes.cause.rule", "closes.cause.assignment", "closes.cause.moved"] as const)
    expect(texts[key], key).toMatch(policy);
});

test.each(LANGUAGES)(
  "%s has one word for leave that is taken, and one for an opening balance",
  async (language) => {
    const texts: Texts = await Bun.file(join(folder, `texts/${language}.json`)).json();
    const said = (key: keyof Texts) => texts[key].toLowerCase();
    expect(said("part.used")).toContain(said("entry.used"));
    expect(said("movement.used")).toBe(said("part.used"));
    expect(said("closes.cause.opening")).toBe(said("entry.opening"));
  },
);

/** Words for sums of money. */
const NEVER_OF_TIME: Partial<Record<(typeof LANGUAGES)[number], RegExp>> = {
  de: /\bBetr[aä]g/i,
  es: /montante|importe/,
  fr: /montant/,
  it: /\bimport[oi]\b/,
  nl: /bedrag/,
  pt: /montante/,
};

test.each(Object.entries(NEVER_OF_TIME))("%s speaks of time, not of money", async (language, never) => {
  const texts: Texts = await Bun.file(join(folder, `texts/${language}.json`)).json();
  for (const [key, text] of Object.entries(texts)) expect(text, key).not.toMatch(never);
});

/** How a policy is paid out: paid leave, which has another pay, is no such policy. */
const PAID_OUT: Partial<Record<(typeof LANGUAGES)[number], RegExp>> = {
  de: /ausbezahlten Regelungen/,
  es: /políticas cuyo saldo se paga/,
  fr: /règles dont le solde est payé/,
  it: /regole il cui saldo viene pagato/,
  nl: /regelingen die worden uitbetaald/,
  pl: /zasad, które są wypłacane/,
  pt: /políticas cujo saldo é pago/,
  ar: /السياسات التي يُدفع رصيدها/,
};

test.each(Object.entries(PAID_OUT))("%s does not take paid out for paid", async (language, paidOut) => {
  const texts: Texts = await Bun.file(join(folder, `texts/${language}.json`)).json();
  for (const key of ["figure.owed.meaning", "figure.owed.of"] as const)
    expect(texts[key], key).toMatch(paidOut);
});

test("French has one word for a department, and another for how long somebody has worked here", async () => {
  const texts: Texts = await Bun.file(join(folder, "texts/fr.json")).json();
  expect(texts["field.department"]).toBe("Service");
  for (const key of Object.keys(texts) as (keyof Texts)[])
    if (/^(?:rule|detail)\./.test(key)) expect(texts[key], key).not.toMatch(/service/);
});

test("an overdrawn balance is not said to be more", async () => {
  for (const language of ["es", "fr", "it", "pt"]) {
    const texts: Texts = await Bun.file(join(folder, `texts/${language}.json`)).json();
    expect(texts["balance.overdrawn"]).toMatch(/^(?:Saldo negativo|Solde négatif)/);
  }
});

/**
 * What cannot stand with an amount, which is `1 Tag` or `2 Tage`, `1 jour` or `8 h`, `يومان`, and always in the nominative: words for many,
 * verbs for one, a gender, and what asks for another case.
 */
const NEVER_WITH_AMOUNTS: Partial<Record<(typeof LANGUAGES)[number], RegExp>> = {
  de: /können(?! Sie)|(?<!genommen )werden|würden|verfallen|waren|weitere|(?:von|aus|mit|nach|zu|bei) §/,
  en: /\b(?:are over|were not|become|expire)\b/,
  es: /puede[^{}:]* (?:<b>)?§|pueden|traspas[ao]n|caducan|abonad|recortad|pasan|concedidos|tomados|restantes|hacen|tomarían/,
  fr: /peuvent|§ sont|expirent|crédités|réduit|deviennent|attribués|reportés|pris avant le [^:]*$|seuls|restants|présents/,
  it: /può[^{}:]* (?:<b>)?§|possono|riportano|scadono|accreditat|ridotto|diventano|concessi\b|riportati|prenderebbero|rimasti|servono|altri/,
  nl: /kunnen|\b(?:kan|zou|wordt hoogstens)\b[^{}:]*§|§ (?:gaat|kan|nodig|van wat)/,
  pl: /dopisywan|obcięte|przyznanych|kolejne|(?:z|do|od|zamiast|wielokrotności|limit roczny|saldo|na to) §/,
  pt: /pode\b[^{}:]* (?:<b>)?§|podem|transitam|expiram|creditad|cortado|passam|concedidos|transitados|restantes|precisos|seriam/i,
  ar: /أخرى|مُنحت|رُحّلت|تنتهي أبدًا|تُضاف|(?:من|إلى|بعد|أخذ|استخدام|سوى|بمقدار|لـ|مضاعف|تمنح|تصبح) (?:<b>)?§/,
};

test.each(Object.entries(NEVER_WITH_AMOUNTS))(
  "%s is right with any amount: one or many, of days or hours",
  async (language, never) => {
    const texts: Texts = await Bun.file(join(folder, `texts/${language}.json`)).json();
    for (const [key, text] of Object.entries(texts)) {
      const marked = text.replaceAll(/\{(?:amount|left|to|tiers|months|year|\w*[mM]inutes)\}/g, "§");
      if (marked !== text && key !== "grant.instalments") expect(marked, key).not.toMatch(never); // its parts are always many
    }
  },
);

test("what expired has the last day on which it could be used, as what will expire has", () => {
  speak(en, ENGLISH);
  const values = { minutes: 2400, grantedMinutes: 4800, takenMinutes: 480, on: "2026-04-01" };
  const said = (...[code, own]: readonly [BalanceDetailCode, object]) =>
    detailIn("day", [{ code, values: { ...values, ...own } }]).replaceAll("\u00a0", " ");
  expect([
    said("grantExpired", { grantedOn: "2025-04-01" }),
    said("carriedExpired", { carriedOn: "2026-01-01" }),
  ]).toEqual([
    "5 days of the 10 days granted on 1 Apr 2025, not used by 31 Mar 2026",
    "5 days carried over on 1 Jan 2026; 1 day taken by 31 Mar 2026",
  ]);
});

test("parts of a day, and one person, have the right words", async () => {
  const say = async (language: string, key: keyof Texts, values: Record<string, unknown>) =>
    String(
      new IntlMessageFormat(
        ((await Bun.file(join(folder, `texts/${language}.json`)).json()) as Texts)[key],
        language,
      ).format(values as never),
    );
  // https://www.unicode.org/cldr/charts/48/supplemental/language_plural_rules.html: `other` of Polish is a fraction, 1,5 dnia.
  for (const [count, said] of [
    [1, "1 dzień"],
    [3, "3 dni"],
    [12, "12 dni"],
    [1.5, "1.5 dnia"],
  ] as const)
    await expect(say("pl", "amount.days", { count, days: String(count) })).resolves.toBe(said);
  for (const [language, said] of [
    ["fr", "1 absent, 1 en attente"],
    ["es", "1 ausente, 1 pendiente"],
    ["pt", "1 ausente, 1 pendente"],
    ["it", "1 assente, 1 in attesa"],
  ] as const)
    await expect(say(language, "away.count", { away: 1, asked: 1 })).resolves.toBe(said);
});

test("what is enumerated is no sentence: it has commas alone", async () => {
  try {
    for (const language of LANGUAGES) {
      speak(await textsOf(language), { language, locale: language });
      expect([language, enumerated(["A", "B", "C"])]).toEqual([
        language,
        language === "ja" ? "A、B、C" : language === "ar" ? "A، B، C" : "A, B, C",
      ]);
    }
  } finally {
    speak(en, ENGLISH);
  }
});

test("Italian has no article before a number, which may be 8 or 11: l’8, dall’11", async () => {
  const texts: Texts = await Bun.file(join(folder, "texts/it.json")).json();
  for (const [key, text] of Object.entries(texts))
    expect(text, key).not.toMatch(/\b(?:il|al|dal|del|nel|sul) \{(?!name)/i);
});

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

test("a number is written with the digits of the locale: none goes into a text as it is", async () => {
  const found: string[] = [];
  for await (const path of new Bun.Glob("**/*.{ts,tsx}").scan(folder)) {
    const code = await Bun.file(join(folder, path)).text();
    for (const [, key, name] of code.matchAll(/\bt\("([\w.]+)", \{ (\w+): (?:\w+\.length|[A-Z_]{2,}) \}/g))
      if (en[key as keyof Texts].includes(`{${name}}`)) found.push(`${path}: ${key}`);
  }
  expect(found).toEqual([]);
  try {
    speak(await textsOf("ar"), { language: "ar", locale: "ar-EG" });
    expect(partsText("startsBy:15")).toContain("١٥");
  } finally {
    speak(en, ENGLISH);
  }
});
