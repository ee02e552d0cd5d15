// The guides: what callers should know about all endpoints, with samples to paste. Texts and samples are in guides.md.
import text from "./guides.md" with { type: "text" };
import type { Language, Samples } from "./operations.ts";

export interface Guide {
  /** The anchor of its section. */
  readonly id: string;
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  /** Code in every language, or one block. */
  readonly samples: Partial<Samples>;
  readonly response?: string;
}

/** The language of a sample by the word after the fence. Other code is a response. */
const LANGUAGE_OF: Readonly<Record<string, Language>> = { sh: "curl", ts: "TypeScript", python: "Python" };

function readGuide(section: string): Guide {
  const title = section.split("\n", 1)[0]!;
  const samples: Partial<Record<Language, string>> = {};
  const responses: string[] = [];
  const words = section.slice(title.length).replaceAll(/^```(\w+)\n(.*?)\n```$/gms, (_, name, code) => {
    const language = LANGUAGE_OF[name];
    if (language === undefined) responses.push(code);
    else samples[language] = code;
    return "";
  });
  return { id: title.toLowerCase(), title, text: words.trim(), samples, response: responses.join("\n") };
}

export const GUIDES: readonly Guide[] = text.split(/^## /m).slice(1).map(readGuide);
