// The form of an API key (docs/api.md, Authentication): `rk_`, 32 random base62 characters, and their CRC-32 in base62.
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SHAPE = /^rk_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** The checksum of the 32 random characters: six base62 digits, the most significant first. */
function checksum(random: string): string {
  let rest = Bun.hash.crc32(random); // ISO 3309, the polynomial of zip and PNG
  let digits = "";
  for (let place = 0; place < 6; place++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Whether `text` has a key's shape and its checksum fits: a mistyped key is told apart without a look-up. */
export function isApiKey(text: string): boolean {
  const match = SHAPE.exec(text);
  return match !== null && checksum(match[1]!) === match[2];
}

/** A key from 32 random base62 digits, each given as a number from 0 to 61. */
export function apiKeyOf(digits: readonly number[]): string {
  const random = digits.map((digit) => BASE62[digit]).join("");
  return `rk_${random}${checksum(random)}`;
}
