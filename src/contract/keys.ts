// The form of an API key (contract, Authentication): `rk_`, 32 random base62 characters, and their CRC-32 in base62.
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SHAPE = /^rk_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** The checksum of the 32 random characters: six base62 digits, the most significant first. */
function checksum(random: string): string {
  let rest = crc32(random);
  let digits = "";
  for (let place = 0; place < 6; place++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** CRC-32 as in ISO 3309 (the polynomial of zip and PNG), of ASCII text. */
function crc32(ascii: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < ascii.length; i++) {
    crc ^= ascii.charCodeAt(i);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
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
