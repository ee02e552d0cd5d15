// Names of people: given and family names that belong together, in their own script, each with an ASCII spelling
// for the mail address. The names are common ones of their region; none is of a particular person.
import lists from "./data/names.json";
import type { Random } from "./random.ts";

/** The names of one culture in names.json. Entries are separated by commas: `name`, `name=ascii`, `name~short`. */
interface NameList {
  male: string;
  female: string;
  /** `Иванов=Ivanov/Иванова=Ivanova` if women have another form. */
  family: string;
  /** Set if the family name comes first: `joined` to the given name, or `spaced`. */
  familyFirst?: string;
  /** Share of people who carry two family names. */
  twoFamilyNames?: number;
  /** Names that colleagues abroad use for some of them. */
  nicknames?: string;
}

export interface PersonName {
  firstName: string;
  lastName: string;
  preferredName: string | null;
  /** Set if it differs from what the other names give. */
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
  /** By gender. */
  given: readonly (readonly Entry[])[];
  family: readonly (readonly Entry[])[];
  familySeparator: string | null;
  twoFamilyNames: number;
  nicknames: readonly string[];
}

const cultures = new Map(Object.entries<NameList>(lists).map(([name, list]) => [name, cultureOf(list)]));

/** A person's name as that culture of names.json writes it. */
export function personName(cultureName: string, random: Random): PersonName {
  const culture = cultures.get(cultureName)!;
  const gender = random.chance(0.5) ? 0 : 1;
  const given = random.pick(culture.given[gender]!);
  const family = random.pick(culture.family[gender]!);
  const second = random.chance(culture.twoFamilyNames) ? random.pick(culture.family[gender]!) : null;
  const lastName = second !== null && second !== family ? `${family.text} ${second.text}` : family.text;
  let preferredName: string | null = null;
  if (given.short !== null && random.chance(0.6)) preferredName = given.short;
  else if (culture.nicknames.length > 0 && random.chance(0.2)) preferredName = random.pick(culture.nicknames);
  const { familySeparator } = culture;
  return {
    firstName: given.text,
    lastName,
    preferredName,
    displayName: familySeparator === null ? null : `${lastName}${familySeparator}${given.text}`,
    asciiFirst: given.ascii,
    asciiLast: family.ascii,
  };
}

function cultureOf(list: NameList): Culture {
  const families = list.family.split(",").map((entry) => entry.split("/"));
  return {
    given: [entries(list.male), entries(list.female)],
    family: [
      entries(families.map(([male]) => male).join(",")),
      entries(families.map(([male, female]) => female ?? male).join(",")),
    ],
    familySeparator: list.familyFirst === undefined ? null : list.familyFirst === "joined" ? "" : " ",
    twoFamilyNames: list.twoFamilyNames ?? 0,
    nicknames: list.nicknames?.split(",") ?? [],
  };
}

/** Names without `=ascii` only lose their accents; see `NameList` for the form of an entry. */
function entries(text: string): Entry[] {
  return text.split(",").map((entry) => {
    const [spelling = "", short = null] = entry.split("~");
    const [name = "", ascii = name] = spelling.split("=");
    return { text: name, ascii: asciiOf(ascii), short };
  });
}

/** Lower-case a–z: accents are dropped, everything else is left out. */
function asciiOf(name: string): string {
  return name
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z]/g, "");
}

/** Mail addresses under domains reserved for examples (RFC 2606). Later namesakes get a number. */
export class AddressBook {
  // One entry per pair of names on the lists, so it does not grow with the company.
  readonly #namesakes = new Map<string, number>();

  /** The address at the company: unique within it. */
  workEmail(name: PersonName): string {
    return `${this.#numbered(`${name.asciiFirst}.${name.asciiLast}`)}@example.com`;
  }

  /** The private address: some carry a tag, some are written in the owner's own script. */
  personalEmail(name: PersonName, random: Random): string {
    const domain = random.chance(0.6) ? "example.org" : "mail.example.net";
    const style = random.fraction();
    if (style < 0.04) return `${this.#numbered(`${name.asciiFirst}.${name.asciiLast}+work`)}@${domain}`;
    if (style < 0.08) {
      const own = `${name.firstName}.${name.lastName}`.toLowerCase().replace(/[\s'.]+/g, ".");
      return `${this.#numbered(own.normalize("NFC"))}@${domain}`;
    }
    return `${this.#numbered(`${name.asciiFirst}_${name.asciiLast}`)}@${domain}`;
  }

  /** The address of a business. */
  businessEmail(name: PersonName): string {
    return `hello@${this.#numbered(name.asciiLast)}.example.net`;
  }

  #numbered(local: string): string {
    const before = this.#namesakes.get(local) ?? 0;
    this.#namesakes.set(local, before + 1);
    return before === 0 ? local : `${local}${before + 1}`;
  }
}
