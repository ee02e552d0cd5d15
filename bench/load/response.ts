// Assembles an HTTP/1.1 response from the pieces that a connection brings.

export interface WireResponse {
  readonly status: number;
  /** The status line and headers as sent, without the empty line. */
  readonly head: string;
  readonly body: Buffer;
}

/** Collects pieces until a response with a Content-Length is whole. */
export class ResponseReader {
  #pieces: Buffer[] = [];
  #received = 0;
  #head: string | null = null;
  #wanted = 0;

  /** The response if this piece completes it; then the next one begins. */
  push(piece: Buffer): WireResponse | null {
    this.#pieces.push(Buffer.from(piece)); // Bun reuses the memory of a piece
    this.#received += piece.length;
    if (this.#head === null && !this.#readHead()) return null;
    if (this.#received < this.#wanted) return null;
    const head = this.#head!;
    const body = Buffer.concat(this.#pieces).subarray(head.length + 4);
    this.#pieces = [];
    this.#received = 0;
    this.#head = null;
    return { status: Number(head.slice(9, 12)), head, body };
  }

  #readHead(): boolean {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)];
    const end = this.#pieces[0]!.indexOf("\r\n\r\n");
    if (end === -1) return false;
    this.#head = this.#pieces[0]!.toString("latin1", 0, end);
    const length = /^content-length: (\d+)$/im.exec(this.#head)?.[1];
    if (length === undefined) throw new Error(`a response without a length: ${this.#head}`);
    this.#wanted = end + 4 + Number(length);
    return true;
  }
}
