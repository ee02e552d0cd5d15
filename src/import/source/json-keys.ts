// Whether a JSON object names a key twice. JSON.parse takes the last one without a word, so the text is looked at as well.

const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * The first key that comes a second time; null where each comes once. `text` is the valid JSON of an object that was parsed
 * into `count` keys. Takes time in proportion to the text.
 */
export function repeatedKey(text: string, count: number): string | null {
  // Names of objects within count here too, so where the numbers are the same, each name is a key of its own.
  return countNames(text) === count ? null : findRepeated(text);
}

function countNames(text: string): number {
  let names = 0;
  for (let open = text.indexOf('"'); open !== -1; ) {
    const close = closingQuote(text, open);
    if (isName(text, close)) names++;
    open = text.indexOf('"', close + 1);
  }
  return names;
}

function findRepeated(text: string): string | null {
  const seen = new Set<string>();
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    else if (character === '"') {
      const close = closingQuote(text, at);
      if (depth === 1 && isName(text, close)) {
        const key = JSON.parse(text.slice(at, close + 1)) as string; // between quotes; escapes are undone
        if (seen.has(key)) return key;
        seen.add(key);
      }
      at = close;
    }
  }
  return null;
}

/** Where the string ends that begins at `open`: the next quote after an even number of backslashes. */
function closingQuote(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote;
  while (text.charCodeAt(at - 1) === BACKSLASH) at--;
  return (quote - at) % 2 === 1;
}

/** Whether a colon follows the string that ends at `close`. */
function isName(text: string, close: number): boolean {
  let at = close + 1;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === COLON;
}
