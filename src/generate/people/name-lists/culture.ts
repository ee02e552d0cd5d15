// From a list as it is written to one that can be drawn from.

import type { NameList } from "./name-list.ts";

interface Entry {
  text: string;
  ascii: string;
  short: string | null;
}

export interface Culture {
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

/** The lists of a culture, ready to draw from. */
export function cultureOf(list: NameList): Culture {
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
