// The page's texts in the viewer's language. Each language is a file of ICU messages beside this one; English has every key.
import { IntlMessageFormat, type PrimitiveType } from "intl-messageformat";
import { Fragment, type ReactNode } from "react";
import en from "./en.json";

export type Texts = Readonly<Record<keyof typeof en, string>>;
export type TextKey = keyof typeof en;

/** The first is the default. */
export const LANGUAGES = ["en", "de", "fr", "es", "nl", "pt", "it", "pl", "ja", "ar"] as const;
export type Language = (typeof LANGUAGES)[number];

const LOADED: Readonly<Record<Exclude<Language, "en">, () => Promise<{ default: Texts }>>> = {
  de: () => import("./de.json"),
  fr: () => import("./fr.json"),
  es: () => import("./es.json"),
  nl: () => import("./nl.json"),
  pt: () => import("./pt.json"),
  it: () => import("./it.json"),
  pl: () => import("./pl.json"),
  ja: () => import("./ja.json"),
  ar: () => import("./ar.json"),
};

let texts: Texts = en;
let language: Language = "en";
/** The viewer's locale, such as `de-AT`, for dates, numbers, lists, the order of names and the first day of the week. */
let locale = "en-GB";
const messages = new Map<TextKey, IntlMessageFormat>();

export const currentLanguage = () => language;
export const currentLocale = () => locale;

const CHOSEN = "rollcall.language";

/** Uses the language chosen in this browser, else the browser's first that we have. */
export async function loadLanguage(): Promise<void> {
  const own = navigator.languages.filter(isLocale);
  const wanted = [localStorage.getItem(CHOSEN) ?? [], ...own].flat();
  for (const tag of wanted) {
    const known = LANGUAGES.find((each) => each === tag.toLowerCase().split("-")[0]);
    if (known === undefined) continue;
    language = known;
    locale = own.find((each) => each.toLowerCase().split("-")[0] === known) ?? known;
    break;
  }
  if (language !== "en") texts = (await LOADED[language]()).default;
  document.documentElement.lang = locale;
  document.documentElement.dir = language === "ar" ? "rtl" : "ltr";
}

/** Browsers may have invalid settings, such as `en-US@posix`. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

/** Stores the choice in this browser, and reloads the page. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(CHOSEN, chosen);
  window.location.reload();
}

function message(key: TextKey): IntlMessageFormat {
  const known = messages.get(key) ?? new IntlMessageFormat(texts[key], locale);
  messages.set(key, known);
  return known;
}

/** The text of a key, filled with its values. */
export function t(key: TextKey, values?: Readonly<Record<string, PrimitiveType>>): string {
  return values === undefined && !/[{'<]/.test(texts[key]) ? texts[key] : String(message(key).format(values));
}

type Part = ReactNode | ((children: ReactNode[]) => ReactNode);

/** The same with elements: a value may be an element, and `<b>…</b>` becomes what the function `b` makes of its content. */
export function rich(key: TextKey, values: Readonly<Record<string, Part>>): ReactNode {
  const parts = message(key).format<ReactNode>(values as Record<string, ReactNode>); // functions are for tags
  return Array.isArray(parts)
    ? parts.map((part, at) => <Fragment key={at}>{part}</Fragment>)
    : (parts as ReactNode);
}

/** Whether a key has a text. Keys made from the server's codes may have none. */
export const isText = (key: string): key is TextKey => key in en;
