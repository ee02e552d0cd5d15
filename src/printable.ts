// Text of others, such as a file's name or a value, without characters that control a terminal or mislead its reader.

/** Controls, changes of writing direction, and invisible characters, except the joiners of scripts and emoji. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu;

/** A text as one line that cannot control a terminal. Escaped as in JSON, so JSON stays the same. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
