/** The parts of an answer that the load generator uses. */
export interface ParsedResponse {
  status: number;
  /** The bytes of the body, empty unless they are kept. */
  body: Buffer;
  bodyBytes: number;
}

const endOfHead = Buffer.from('\r\n\r\n');
const largestHead = 64 * 1024;

type Step = 'head' | 'body' | 'chunk-size' | 'chunk' | 'trailer';

/**
 * Parses HTTP/1.1 answers from the chunks of a socket, with `Content-Length` or chunked. Supports one answer at a
 * time, without pipelining and compression, so the parser does not limit the measured server.
 * @throws on any other input
 */
export class ResponseParser {
  private pending: Buffer = Buffer.alloc(0);
  private step: Step = 'head';
  private status = 0;
  private left = 0;
  private bodyBytes = 0;
  private parts: Buffer[] = [];

  constructor(private readonly options: { keepBody: boolean }) {}

  /** Adds the next chunk; returns the answer when it is complete. */
  push(piece: Buffer): ParsedResponse | undefined {
    this.pending = this.pending.length === 0 ? piece : Buffer.concat([this.pending, piece]);
    for (;;) {
      const before = `${this.step}${this.pending.length}`;
      if (this.advance()) return this.finish();
      if (before === `${this.step}${this.pending.length}`) return undefined;
    }
  }

  /** Parses the next part if there are enough bytes; returns true when the answer is complete. */
  private advance(): boolean {
    switch (this.step) {
      case 'head':
        return this.readHead();
      case 'body':
        this.readContent();
        return this.left === 0;
      case 'chunk-size':
        this.readChunkSize();
        return false;
      case 'chunk':
        this.readChunk();
        return false;
      case 'trailer':
        return this.takeLine() === '';
    }
  }

  private readHead(): boolean {
    const end = this.pending.indexOf(endOfHead);
    if (end < 0) {
      if (this.pending.length > largestHead) throw new Error('the head of the answer does not end');
      return false;
    }
    const head = this.pending.toString('latin1', 0, end);
    this.pending = this.pending.subarray(end + endOfHead.length);
    this.status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    if (!this.status) throw new Error('not an HTTP/1.1 answer');
    if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
      this.step = 'chunk-size';
      return false;
    }
    this.left = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    this.step = 'body';
    return this.left === 0;
  }

  private readContent(): void {
    const taken = this.pending.subarray(0, this.left);
    this.pending = this.pending.subarray(taken.length);
    this.left -= taken.length;
    this.bodyBytes += taken.length;
    if (this.options.keepBody && taken.length > 0) this.parts.push(taken);
  }

  private readChunkSize(): void {
    const line = this.takeLine();
    if (line === undefined) return;
    this.left = Number.parseInt(line, 16);
    if (Number.isNaN(this.left)) throw new Error('a chunk has no size');
    this.step = this.left === 0 ? 'trailer' : 'chunk';
  }

  private readChunk(): void {
    this.readContent();
    if (this.left > 0 || this.takeLine() === undefined) return;
    this.step = 'chunk-size';
  }

  private takeLine(): string | undefined {
    const end = this.pending.indexOf('\r\n');
    if (end < 0) return undefined;
    const line = this.pending.toString('latin1', 0, end);
    this.pending = this.pending.subarray(end + 2);
    return line;
  }

  private finish(): ParsedResponse {
    const response = {
      status: this.status,
      body: Buffer.concat(this.parts),
      bodyBytes: this.bodyBytes,
    };
    this.step = 'head';
    this.bodyBytes = 0;
    this.parts = [];
    return response;
  }
}
