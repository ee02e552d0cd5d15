// Names of people: given and family names that belong together, in their own script, each with an ASCII spelling
// for the mail address.

import type { Random } from "../random.ts";
import { eastern } from "./names-east.ts";
import { african, european, slavic } from "./names-west.ts";

/** The names of one culture; entries are separated by commas: `name`, `name=ascii`, `name~short`. */
interface NameList {
  male: string;
  female: string;
  /** `Иванов=Ivanov/Иванова=Ivanova` where women carry another form. */
  family: string;
  /** How the family name comes before the given one, where it does. */
  familyFirst?: "joined" | "spaced";
  /** Share of people who carry two family names. */
  twoFamilyNames?: number;
  /** What colleagues abroad call some of them. */
  nicknames?: string;
}

const lists = { ...european, ...slavic, ...african, ...eastern } satisfies Record<string, NameList>;

export type CultureName = keyof typeof lists;

export interface PersonName {
  firstName: string;
  lastName: string;
  preferredName: string | null;
  /** Only where it is not what the other names already say. */
  displayName: string | null;
  /** Lower-case a–z, for a mail address. */
  asciiFirst: string;
  asciiLast: string;
}

interface Entry {
  text: string;
  ascii: string;
  short: string | null;
}

interface Culture {
  given: readonly [male: readonly Entry[], female: readonly Entry[]];
  family: readonly [male: readonly Entry[], female: readonly Entry[]];
  familyFirst: NameList["familyFirst"];
  twoFamilyNames: number;
  nicknames: readonly string[];
}

const spelledOut: Record<string, string> = {
  ß: "ss",
  ø: "o",
  ł: "l",
  đ: "d",
  æ: "ae",
  ä: "ae",
  ö: "oe",
  ü: "ue",
};

const cultures = Object.fromEntries(
  Object.entries<NameList>(lists).map(([name, list]) => [name, cultureOf(list)]),
) as Record<CultureName, Culture>; // the keys are those of `lists`

/** A person's name as that culture writes it. */
export function personName(cultureName: CultureName, random: Random): PersonName {
  const culture = cultures[cultureName];
  const gender = random.chance(0.5) ? 0 : 1;
  const given = random.pick(culture.given[gender]);
  const family = random.pick(culture.family[gender]);
  const second = random.chance(culture.twoFamilyNames) ? random.pick(culture.family[gender]) : null;
  const lastName = second !== null && second !== family ? `${family.text} ${second.text}` : family.text;
  let preferredName: string | null = null;
  if (given.short !== null && random.chance(0.6)) preferredName = given.short;
  else if (culture.nicknames.length > 0 && random.chance(0.2)) preferredName = random.pick(culture.nicknames);
  return {
    firstName: given.text,
    lastName,
    preferredName,
    displayName: displayName(culture, given.text, lastName, random),
    asciiFirst: given.ascii,
    asciiLast: family.ascii,
  };
}

function displayName(culture: Culture, given: string, family: string, random: Random): string | null {
  if (culture.familyFirst === "joined") return `${family}${given}`;
  if (culture.familyFirst === "spaced") return `${family} ${given}`;
  return random.chance(0.01) ? `${family}, ${given}` : null;
}

/** The lists of a culture, ready to draw from. */
function cultureOf(list: NameList): Culture {
  const families = list.family.split(",").map((entry) => entry.split("/"));
  return {
    given: [entries(list.male), entries(list.female)],
    family: [
      entries(families.map(([male]) => male).join(",")),
      entries(families.map(([male, female]) => female ?? male).join(",")),
    ],
    familyFirst: list.familyFirst,
    twoFamilyNames: list.twoFamilyNames ?? 0,
    nicknames: list.nicknames?.split(",") ?? [],
  };
}

/** Latin names spell their own ASCII; see `NameList` for the form of an entry. */
function entries(text: string): Entry[] {
  return text.split(",").map((entry) => {
    const [spelling = "", short = null] = entry.trim().split("~");
    const [name = "", ascii = name] = spelling.split("=");
    return { text: name, ascii: asciiOf(ascii), short };
  });
}

/** Lower-case a–z: accents dropped, German umlauts spelled out, everything else left out. */
function asciiOf(name: string): string {
  return name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[ßøłđæäöü]/g, (letter) => spelledOut[letter] ?? letter)
    .normalize("NFD")
    .replace(/[^a-z]/g, "");
}
