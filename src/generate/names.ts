// Common given and family names of a region, in their own script, each with an ASCII spelling for the mail address.
import lists from "./data/names.json";
import type { Random } from "./random.ts";

/** The names of one culture in names.json. A list has entries with commas between them: `name`, `name=ascii`, `name~short`. */
interface Culture {
  /** By gender. */
  given: readonly string[];
  /** By gender; one list if women have the same forms. */
  family: readonly string[];
  /** The text between the names; set if the family name comes first. */
  familySeparator?: string;
  /** Share of people who carry two family names. */
  twoFamilyNames?: number;
  /** English names that some people use with colleagues abroad. */
  nicknames?: readonly string[];
}

export interface PersonName {
  firstName: string;
  lastName: string;
  preferredName: string | null;
  /** Null if it is what the other names give. */
  displayName: string | null;
  /** Lower-case a–z, for a mail address. */
  asciiFirst: string;
  asciiLast: string;
}

const cultures = new Map(
  Object.entries<Culture>(lists).map(([name, { given, family, ...culture }]) => [
    name,
    { ...culture, given: given.map(entries), family: family.map(entries) },
  ]),
);

/** A person's name as that culture of names.json writes it. */
export function personName(cultureName: string, random: Random): PersonName {
  const { twoFamilyNames = 0, nicknames = [], familySeparator, ...lists } = cultures.get(cultureName)!;
  const gender = random.chance(0.5) ? 0 : 1;
  const families = lists.family[gender] ?? lists.family[0]!;
  const given = random.pick(lists.given[gender]!);
  const family = random.pick(families);
  const second = random.chance(twoFamilyNames) ? random.pick(families) : null;
  const lastName = second !== null && second !== family ? `${family.text} ${second.text}` : family.text;
  let preferredName: string | null = null;
  if (given.short !== null && random.chance(0.6)) preferredName = given.short;
  else if (nicknames.length > 0 && random.chance(0.2)) preferredName = random.pick(nicknames);
  return {
    firstName: given.text,
    lastName,
    preferredName,
    displayName: familySeparator === undefined ? null : `${lastName}${familySeparator}${given.text}`,
    asciiFirst: given.ascii,
    asciiLast: family.ascii,
  };
}

/** Names without `=ascii` only lose their accents; see `Culture` for the form of an entry. */
function entries(text: string) {
  return text.split(",").map((entry) => {
    const [spelling = "", short = null] = entry.split("~");
    const [name = "", ascii = name] = spelling.split("=");
    return { text: name, ascii: asciiOf(ascii), short };
  });
}

/** The letters a–z of a name, in lower case and without accents. Other characters are dropped. */
function asciiOf(name: string): string {
  return name
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z]/g, "");
}

/** Mail addresses under domains reserved for examples (RFC 2606). The second person of a name gets the number 2, and so on. */
export class AddressBook {
  // Bounded by the pairs of names on the lists, not by the size of the company.
  readonly #namesakes = new Map<string, number>();

  /** The address at the company: unique within it. */
  workEmail(name: PersonName): string {
    return `${this.#numbered(`${name.asciiFirst}.${name.asciiLast}`)}@example.com`;
  }

  /** The private address. Some have a tag (`+work`), and some are in the owner's script. */
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

  businessEmail(name: PersonName): string {
    return `hello@${this.#numbered(name.asciiLast)}.example.net`;
  }

  #numbered(local: string): string {
    const before = this.#namesakes.get(local) ?? 0;
    this.#namesakes.set(local, before + 1);
    return before === 0 ? local : `${local}${before + 1}`;
  }
}
