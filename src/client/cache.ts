// Caches responses by address with their ETags, as texts: a caller who changes an object cannot change the next response.

export interface CachedResponse {
  readonly etag: string;
  readonly text: string;
}

export class ResponseCache {
  readonly #responses = new Map<string, CachedResponse>(); // a Map keeps insertion order: the first is the oldest
  #characters = 0;

  constructor(private readonly maxCharacters: number) {}

  get(url: string): CachedResponse | undefined {
    const response = this.#responses.get(url);
    if (response === undefined) return undefined;
    this.#responses.delete(url);
    this.#responses.set(url, response);
    return response;
  }

  set(url: string, response: CachedResponse): void {
    this.#drop(url);
    if (response.text.length > this.maxCharacters) return;
    this.#responses.set(url, response);
    this.#characters += response.text.length;
    for (const oldest of this.#responses.keys()) {
      if (this.#characters <= this.maxCharacters) break;
      this.#drop(oldest);
    }
  }

  #drop(url: string): void {
    const response = this.#responses.get(url);
    if (response === undefined) return;
    this.#responses.delete(url);
    this.#characters -= response.text.length;
  }
}
