// The texts of the page and of leave passports, in one language.
import { IntlMessageFormat, type PrimitiveType } from "intl-messageformat";
import en from "./en.json";
import type { Language, Texts, Tongue } from "./languages.ts";

export type TextKey = keyof Texts;

/** Messages, or what `parsed` makes of them: the page and passports have no parser. */
let texts: Readonly<Record<string, ConstructorParameters<typeof IntlMessageFormat>[0]>> = en;
let language: Language = "en";
/** The viewer's locale, such as `de-AT`, for dates, numbers, lists, the order of names and the first day of the week. */
let locale = "en-GB";
const messages = new Map<TextKey, IntlMessageFormat>();

export const currentLanguage = () => language;
export const currentLocale = () => locale;

/** Uses these texts from now on. */
export function speak(own: typeof texts, tongue: Tongue): void {
  ({ language, locale } = tongue);
  texts = own;
  messages.clear();
}

export function message(key: TextKey): IntlMessageFormat {
  const text = texts[key]!;
  const known =
    messages.get(key) ??
    new IntlMessageFormat(typeof text === "string" && isSimple(text) ? partsOf(text) : text, locale);
  messages.set(key, known);
  return known;
}

/** The text of a key, filled with its values. */
export const t = (key: TextKey, values?: Readonly<Record<string, PrimitiveType>>): string =>
  String(message(key).format(values));

/** Whether a message has nothing but text and values such as `{name}`. */
const isSimple = (message: string) => !/['<]|\{\w+,/.test(message);

/** A simple message, parsed: every second part is the name of a value. */
const partsOf = (text: string) =>
  text.split(/\{(\w+)\}/).map((value, at) => ({ type: at % 2, value })) as MessageParts; // 0 is a text, 1 a value

type MessageParts = ReturnType<IntlMessageFormat["getAst"]>;

/** The messages, parsed where they are not simple. */
export const parsed = (own: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(own).map(([key, text]) => [
      key,
      isSimple(text) ? text : new IntlMessageFormat(text).getAst(),
    ]),
  );

/** Whether a key has a text. Keys made from the server's codes may have none. */
export const isText = (key: string): key is TextKey => key in texts;
