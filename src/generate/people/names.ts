// Names of people: given and family names that belong together, in their own script, each with an ASCII spelling
// for the mail address.

import type { Random } from "../random.ts";
import { type Culture, cultureOf } from "./name-lists/culture.ts";
import { eastern } from "./name-lists/east.ts";
import type { NameList } from "./name-lists/name-list.ts";
import { african, european, slavic } from "./name-lists/west.ts";

const lists = { ...european, ...slavic, ...african, ...eastern };

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
