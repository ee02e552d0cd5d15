// The languages of the page and of leave passports. Each is a file of ICU messages beside this one; English has every key.
import en from "./en.json";

export type Texts = Readonly<Record<keyof typeof en, string>>;

/** The first is the default. */
export const LANGUAGES = ["en", "de", "fr", "es", "nl", "pt", "it", "pl", "ja", "ar"] as const;
export type Language = (typeof LANGUAGES)[number];

/** A language, and the locale of dates and numbers in it, such as `de-AT`. */
export interface Tongue {
  readonly language: Language;
  readonly locale: string;
}

export const ENGLISH: Tongue = { language: "en", locale: "en-GB" };

export const directionOf = (language: Language) => (language === "ar" ? "rtl" : "ltr");

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

export const textsOf = async (language: Language): Promise<Texts> =>
  language === "en" ? en : (await LOADED[language]()).default;

/** The first of some tags whose language we have, such as `de-AT`; null if there is none. */
export function tongueOf(tags: readonly string[]): Tongue | null {
  for (const locale of tags.filter(isLocale)) {
    const language = LANGUAGES.find((each) => each === locale.toLowerCase().split("-")[0]);
    if (language !== undefined) return { language, locale };
  }
  return null;
}

/** Browsers may have invalid settings, such as `en-US@posix`. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

const CHOSEN = "rollcall.language";

/** The language chosen in this browser, else the browser's first that we have. */
export function viewersTongue(): Tongue {
  const chosen = tongueOf([localStorage.getItem(CHOSEN) ?? ""]);
  const own = navigator.languages.filter(
    (tag) => chosen === null || tongueOf([tag])?.language === chosen.language,
  );
  return tongueOf(own) ?? chosen ?? ENGLISH;
}

/** Stores the choice in this browser, and reloads the page. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(CHOSEN, chosen);
  window.location.reload();
}
