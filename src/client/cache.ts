// Caches the texts of responses by address, with their ETags. Each is parsed again, so callers may change the objects they get.

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
