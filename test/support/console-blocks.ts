// The `console` blocks of documents: commands and what they print, as a reader sees them.

export interface ConsoleStep {
  readonly command: string;
  /** What is shown below the command; empty if nothing is. */
  readonly output: string;
}

/** The commands of all `console` blocks of a document, in their order. */
export function consoleSteps(markdown: string): ConsoleStep[] {
  const blocks = [...markdown.matchAll(/^```console\n(.*?)^```$/gms)].map((match) => match[1]!);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command, ...output] = step.trimEnd().split("\n");
        return { command: command!, output: output.join("\n") };
      }),
  );
}
