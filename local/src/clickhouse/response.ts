import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { createGzip, constants, type Gzip } from 'node:zlib';
import { describeException, httpStatus, toException } from './errors.js';
import { contentType } from './formats.js';

/** The HTTP request and response, the query id, and the version to report. */
interface ClickHouseResponseWriterOptions {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  queryId: string;
  version: string;
}

/** Writes one HTTP response in the format of ClickHouse's HTTP interface. */
export class ClickHouseResponseWriter {
  private readonly gzip: boolean;
  private readonly tag = randomBytes(8).toString('hex');
  private out: Writable | undefined;

  constructor(private readonly options: ClickHouseResponseWriterOptions) {
    const accepts = String(options.request.headers['accept-encoding'] ?? '');
    const asked = options.url.searchParams.get('enable_http_compression') === '1';
    this.gzip = asked && /\bgzip\b/.test(accepts);
    options.response.setHeader('X-ClickHouse-Query-Id', options.queryId);
    options.response.setHeader('X-ClickHouse-Timezone', 'UTC');
    options.response.setHeader('X-ClickHouse-Server-Display-Name', 'embedded');
  }

  /** Whether the client has disconnected. */
  get abandoned(): boolean {
    return this.options.response.destroyed;
  }

  /** Sends a complete response. */
  async send(format: string, body: Uint8Array, summary: Record<string, number>): Promise<void> {
    this.begin(format, summary);
    if (body.length > 0) await this.write(body);
    this.end();
  }

  /** Sends the headers of a streamed response. */
  begin(format: string, summary: Record<string, number>): void {
    const { response } = this.options;
    response.statusCode = 200;
    response.setHeader('Content-Type', contentType(format));
    response.setHeader('X-ClickHouse-Format', format);
    response.setHeader('X-ClickHouse-Exception-Tag', this.tag);
    response.setHeader('X-ClickHouse-Summary', JSON.stringify(asText(summary)));
    this.out = this.gzip ? this.compressed() : response;
  }

  /** Resolves when the client can receive more, or has disconnected. */
  async write(chunk: Uint8Array): Promise<void> {
    const { out } = this;
    const { response } = this.options;
    if (!out || this.abandoned || out.write(chunk)) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        out.off('drain', done);
        response.off('close', done);
        resolve();
      };
      out.once('drain', done);
      response.once('close', done);
    });
  }

  end(): void {
    this.out?.end();
  }

  /** Sends an error: as the whole response, or at the end of a response that has begun, which is then cut off. */
  fail(error: unknown): void {
    const { response, version } = this.options;
    const exception = toException(error);
    const text = describeException(exception, version);
    if (this.abandoned) return;
    if (this.out) return this.failLate(text);
    response.statusCode = httpStatus(exception);
    response.setHeader('Content-Type', 'text/plain; charset=UTF-8');
    response.setHeader('X-ClickHouse-Exception-Code', String(exception.code));
    // The rest of a refused body is not read, so the connection cannot be reused.
    if (!this.options.request.complete) response.setHeader('Connection', 'close');
    response.end(text);
  }

  /**
   * Writes `\r\n__exception__\r\n<tag>\r\n<message>\n<length> <tag>\r\n__exception__\r\n` and ends the connection
   * without completing the response.
   */
  private failLate(text: string): void {
    const { response } = this.options;
    const length = Buffer.byteLength(text);
    const block = `\r\n__exception__\r\n${this.tag}\r\n${text}${length} ${this.tag}\r\n__exception__\r\n`;
    // The delay lets the client read the exception before it sees the end of the connection.
    const cut = (): void => void setTimeout(() => response.socket?.end(), 50);
    if (this.out === response) return void response.write(block, cut);
    this.out?.write(block);
    (this.out as Gzip).flush(constants.Z_SYNC_FLUSH, cut);
  }

  private compressed(): Gzip {
    const gzip = createGzip({ level: 1 });
    this.options.response.setHeader('Content-Encoding', 'gzip');
    gzip.pipe(this.options.response);
    this.options.response.once('close', () => gzip.destroy());
    return gzip;
  }
}

function asText(summary: Record<string, number>): Record<string, string> {
  return Object.fromEntries(Object.entries(summary).map(([name, value]) => [name, String(value)]));
}
