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

/** The message of a key. */
export function message(key: TextKey): IntlMessageFormat {
  const known = messages.get(key) ?? new IntlMessageFormat(texts[key]!, locale);
  messages.set(key, known);
  return known;
}

/** The text of a key, filled with its values. */
export function t(key: TextKey, values?: Readonly<Record<string, PrimitiveType>>): string {
  const text = texts[key]!;
  return typeof text === "string" && isPlain(text) ? text : String(message(key).format(values));
}

/** Whether a message is its own text: it has no values, elements or quotes. */
const isPlain = (message: string) => !/[{'<]/.test(message);

/** The messages, parsed where they are not plain. */
export const parsed = (own: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(own).map(([key, text]) => [
      key,
      isPlain(text) ? text : new IntlMessageFormat(text).getAst(),
    ]),
  );

/** Whether a key has a text. Keys made from the server's codes may have none. */
export const isText = (key: string): key is TextKey => key in texts;
