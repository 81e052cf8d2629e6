import { problemError } from '../errors/error-of.js';
import { UnreachableError } from '../errors/tributary-error.js';
import { Deadline } from '../http/deadline.js';
import type { ApiRequest, HttpClient } from '../http/http-client.js';
import type { Problem } from '../types/index.js';
import { EventStreamParser, type ServerSentEvent } from './event-stream-parser.js';

/** When a live connection counts as dead, and the signal that ends it. */
interface LiveConnectionOptions {
  /** Milliseconds without data after which the connection counts as dead. */
  silenceMs: number;
  signal?: AbortSignal;
}

/** One connection to a stream of Server-Sent Events. */
export class LiveConnection {
  private readonly parser = new EventStreamParser();

  constructor(
    private readonly http: HttpClient,
    private readonly request: ApiRequest,
    private readonly options: LiveConnectionOptions,
  ) {}

  /** Milliseconds that the server asks the client to wait before it reconnects. */
  get retryMs(): number {
    return this.parser.retryMs;
  }

  /**
   * Yields the messages. @throws ProblemError if the server ends the stream, UnreachableError or TimeoutError if the
   * connection breaks
   */
  async *messages(): AsyncGenerator<ServerSentEvent, void, undefined> {
    for await (const text of this.pieces())
      for (const message of this.parser.feed(text)) {
        if (message.event === 'error') throw problemError(JSON.parse(message.data ?? '{}') as Problem);
        yield message;
      }
  }

  /**
   * Yields the text in pieces. The time-out runs only while the stream waits for data, not while the reader processes
   * a piece.
   */
  private async *pieces(): AsyncGenerator<string, void, undefined> {
    const silence = new Deadline(this.options.silenceMs, this.options.signal);
    const decoder = new TextDecoder();
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    try {
      reader = (await this.http.open(this.request, silence.signal)).body.getReader();
      for (;;) {
        silence.start();
        const { done, value } = await reader.read();
        silence.pause();
        if (done) return;
        yield decoder.decode(value, { stream: true });
      }
    } catch (error) {
      silence.signal.throwIfAborted();
      if (!reader) throw error;
      throw new UnreachableError('The stream broke off.', { cause: error });
    } finally {
      silence.release();
      await reader?.cancel().catch(() => undefined);
    }
  }
}
