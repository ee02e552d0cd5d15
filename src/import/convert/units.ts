// Words for units, in the languages in which amounts are read.

export type UnitName = "minutes" | "hours" | "days";

const WORDS: Readonly<Record<UnitName, string>> = {
  minutes: "m min mins minute minutes minuten minuto minutos minuti minuut 分 minut minuty",
  hours:
    "h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur uren 時間 godz godzina godziny godzin",
  days: "d day days tag tage tagen jour jours journée journées j día días dia dias giorno giorni gg dag dagen 日 dzień dni",
};

const UNITS: ReadonlyMap<string, UnitName> = new Map(
  (["minutes", "hours", "days"] as const).flatMap((unit) =>
    WORDS[unit].split(" ").map((word) => [word, unit] as const),
  ),
);

/** The unit that a word means; undefined for any other word. */
export function unitNamed(word: string): UnitName | undefined {
  const bare = word.trim().replace(/\.$|\([a-z]{1,2}\)$/, ""); // Day(s)
  return UNITS.get(bare.toLowerCase());
}

/** The only unit that a column's name has as a word: days of `Days left`; null for `Days`/`Hours`, `Days (h)`, and for names without. */
export function unitInName(column: string): UnitName | null {
  const words = column.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").split(/[^\p{L}]+/u);
  // `h` and `min` may stand for anything, so none is a unit by itself.
  const isClear = words.some((word) => word.length > 3 && unitNamed(word) !== undefined);
  const [unit = null, ...others] = new Set(words.flatMap((word) => unitNamed(word) ?? []));
  return isClear && others.length === 0 ? unit : null;
}
