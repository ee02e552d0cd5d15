// Names and texts in the form that is compared, without case and accents.

/** Letters that Unicode does not split into a letter and an accent, as people without that key type them. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  æ: "ae",
  đ: "d",
  ð: "d",
  ħ: "h",
  ı: "i",
  ł: "l",
  ø: "o",
  œ: "oe",
  ß: "ss",
  þ: "th",
};
const SPECIAL = new RegExp(`[${Object.keys(PLAIN_LETTERS).join("")}]`, "g");

/** "francois" for "François", and "soren" for "Søren". Marks of direction and other invisible characters are left out. */
export function fold(text: string): string {
  if (/^[a-z]+$/i.test(text)) return text.toLowerCase();
  const lower = text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .toLowerCase();
  return lower.replace(SPECIAL, (letter) => PLAIN_LETTERS[letter]!);
}
