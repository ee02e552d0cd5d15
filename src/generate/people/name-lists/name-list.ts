/** The names of one culture; entries are separated by commas: `name`, `name=ascii`, `name~short`. */
export interface NameList {
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
