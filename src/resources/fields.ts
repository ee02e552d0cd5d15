// Field types that several resources share (docs/api.md, Resources).
import { z } from "zod";

export const EMAIL_MAX_CHARACTERS = 254;

// Labels are separated by dots that they cannot contain themselves, so this cannot backtrack more than once over.
const EMAIL = /^[^\s\p{Cc}@]+@[^\s\p{Cc}@.]+(?:\.[^\s\p{Cc}@.]+)+$/u;

/** One `@`, something on both sides, a dot in the domain, no spaces or control characters, letters of any script. */
export function isEmail(text: string): boolean {
  return (
    text.length <= EMAIL_MAX_CHARACTERS * 2 && [...text].length <= EMAIL_MAX_CHARACTERS && EMAIL.test(text)
  );
}

/**
 * How addresses are compared: folded once, at import and in the query, so that every engine agrees. Letters are folded
 * one by one, as in Unicode's simple case folding, so the two lower-case sigmas are one letter wherever they stand,
 * while ß and ss, ı and i stay different mailboxes.
 */
export function foldEmail(email: string): string {
  return Array.from(email.normalize("NFC"), foldLetter).join("").normalize("NFC");
}

function foldLetter(letter: string): string {
  const upper = letter === "ı" ? letter : letter.toUpperCase();
  return ([...upper].length === 1 ? upper : letter).toLowerCase();
}

export const emailSchema = z
  .string()
  .refine(isEmail, { error: "is not an email address such as ana@example.com" })
  .meta({
    description: "An email address; letters of any script are allowed.",
    example: "francoise@example.com",
    maxLength: EMAIL_MAX_CHARACTERS,
  });

export const dateSchema = z.iso.date().meta({ description: "A day, `YYYY-MM-DD`.", example: "2026-03-01" });

export const dateTimeSchema = z.iso.datetime({ precision: 3 }).meta({
  description: "An instant: RFC 3339 in UTC with milliseconds.",
  example: "2026-03-01T00:00:00.000Z",
});

export const timeZoneSchema = z
  .string()
  .meta({ description: "A name of the IANA time-zone database.", example: "Europe/Berlin" });

/** Minutes, which may carry a fraction. */
export const minutesSchema = z.number();
