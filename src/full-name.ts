// The order of the parts of a name.

/** Scripts in which the family name comes first. */
const FAMILY_FIRST = /^[\p{sc=Han}\p{sc=Hangul}\p{sc=Hira}\p{sc=Kana}]/u;

/** Whether a name, or a family name alone, is written with the family name first. */
export const isFamilyFirst = (name: string): boolean => FAMILY_FIRST.test(name);

/** As `isFamilyFirst`, but false for katakana, in which foreign names are written, too. */
export const isSurelyFamilyFirst = (name: string): boolean =>
  isFamilyFirst(name) && !/^\p{sc=Kana}/u.test(name);

/** `Ana Lind`, and `佐藤 花子` for the first name 花子. Either part may be empty. */
export function fullName(firstName: string, lastName: string): string {
  const parts = isFamilyFirst(lastName) ? [lastName, firstName] : [firstName, lastName];
  return parts.join(" ").trim();
}
