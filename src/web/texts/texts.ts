// The texts of the page and of leave passports, in one language.
import { IntlMessageFormat, type PrimitiveType } from "intl-messageformat";
import en from "./en.json";
import type { Language, Texts, Tongue } from "./languages.ts";

export type TextKey = keyof Texts;

let texts: Texts = en;
let language: Language = "en";
/** The viewer's locale, such as `de-AT`, for dates, numbers, lists, the order of names and the first day of the week. */
let locale = "en-GB";
const messages = new Map<TextKey, IntlMessageFormat>();

export const currentLanguage = () => language;
export const currentLocale = () => locale;

/** Uses these texts from now on. */
export function speak(own: Texts, tongue: Tongue): void {
  ({ language, locale } = tongue);
  texts = own;
  messages.clear();
}

/** The message of a key. */
export function message(key: TextKey): IntlMessageFormat {
  const known = messages.get(key) ?? new IntlMessageFormat(texts[key], locale);
  messages.set(key, known);
  return known;
}

/** The text of a key, filled with its values. */
export function t(key: TextKey, values?: Readonly<Record<string, PrimitiveType>>): string {
  return values === undefined && !/[{'<]/.test(texts[key]) ? texts[key] : String(message(key).format(values));
}

/** Whether a key has a text. Keys made from the server's codes may have none. */
export const isText = (key: string): key is TextKey => key in texts;
