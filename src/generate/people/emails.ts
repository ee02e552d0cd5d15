// Mail addresses, all under domains reserved for examples (RFC 2606). Namesakes are told apart by a number, the
// way a company does it: who came later gets the number.

import type { Random } from "../random.ts";
import type { PersonName } from "./names.ts";

const latin = /^[\p{Script=Latin} '.-]+$/u;

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
    if (style < 0.08 && (latin.test(name.lastName) || style < 0.055)) {
      const own = `${name.firstName}.${name.lastName}`.toLowerCase().replace(/[\s'.]+/g, ".");
      return `${this.#numbered(own.normalize("NFC"))}@${domain}`;
    }
    if (style < 0.5) return `${this.#numbered(`${name.asciiFirst[0]}${name.asciiLast}`)}@${domain}`;
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
