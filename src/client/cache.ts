// Answers by address with their ETags, the least recently used dropped first. Texts, not objects: what a caller
// does with an answer must not change the next one.

export interface Answer {
  readonly etag: string;
  readonly text: string;
}

export class ResponseCache {
  readonly #maxCharacters: number;
  readonly #answers = new Map<string, Answer>(); // a Map keeps insertion order: the first is the oldest
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  get(url: string): Answer | undefined {
    const answer = this.#answers.get(url);
    if (answer === undefined) return undefined;
    this.#answers.delete(url);
    this.#answers.set(url, answer);
    return answer;
  }

  set(url: string, answer: Answer): void {
    this.#drop(url);
    if (answer.text.length > this.#maxCharacters) return;
    this.#answers.set(url, answer);
    this.#characters += answer.text.length;
    for (const oldest of this.#answers.keys()) {
      if (this.#characters <= this.#maxCharacters) break;
      this.#drop(oldest);
    }
  }

  #drop(url: string): void {
    const answer = this.#answers.get(url);
    if (answer === undefined) return;
    this.#answers.delete(url);
    this.#characters -= answer.text.length;
  }
}
