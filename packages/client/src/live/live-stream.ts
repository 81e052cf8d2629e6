import { isTransient, problemError } from '../errors/error-of.js';
import { InternalError } from '../errors/problem-classes.js';
import { UnreachableError } from '../errors/tributary-error.js';
import { backOffMs, sleep } from '../http/back-off.js';
import type { ApiRequest, CallOptions, HttpClient } from '../http/http-client.js';
import { type ServerSentEvent, EventStreamParser } from './event-stream-parser.js';
import { Deadline } from '../http/deadline.js';
import type { Problem } from '../types/index.js';

/** Options of a live stream: where it starts, and how it reconnects. */
export interface LiveOptions extends CallOptions {
  /** The `position` of an earlier live stream, from which this one continues. */
  from?: string;
  /** Milliseconds of silence after which a connection counts as dead; default 45 000: three heartbeats. */
  silenceMs?: number;
  /** The live stream calls this before each reconnect, with the reason and the delay in milliseconds. */
  onReconnect?: (error: unknown, delayMs: number) => void;
}

/** What a `LiveStream` follows: the HTTP request that opens the stream, and the parser of its messages. */
export interface LiveStreamRequestAndParser<T> {
  request: ApiRequest;
  /** Parses a message; returns undefined if it contains nothing new. */
  read(message: ServerSentEvent): T | undefined;
}

/**
 * A live stream of events or of projection changes, open as long as it is iterated. After a broken connection it
 * reconnects at its last position; it throws errors that a reconnect cannot repair.
 */
export class LiveStream<T> implements AsyncIterable<T> {
  /**
   * The last message id that has arrived: a later stream with the option `from` continues there, for example after a
   * restart. The position is undefined until the first id has arrived.
   */
  position: string | undefined;

  constructor(
    private readonly http: HttpClient,
    private readonly source: LiveStreamRequestAndParser<T>,
    private readonly options: LiveOptions,
  ) {
    this.position = options.from;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let failures = 0; ; failures++) {
      const parser = new EventStreamParser();
      try {
        for await (const text of this.received())
          for (const message of parser.feed(text)) {
            if (message.event === 'error') throw problemError(JSON.parse(message.data ?? '{}') as Problem);
            failures = 0;
            if (message.id) this.position = message.id;
            const item = this.source.read(message);
            if (item !== undefined) yield item;
          }
        await this.pause(new UnreachableError('The stream ended.'), { failures, parser });
      } catch (error) {
        this.options.signal?.throwIfAborted();
        if (!isTransient(error) && !(error instanceof InternalError)) throw error;
        await this.pause(error, { failures, parser });
      }
    }
  }

  /**
   * Opens a connection and yields its text. The time-out runs only while the stream waits for data, not while the
   * reader processes a piece. @throws UnreachableError or TimeoutError if the connection breaks
   */
  private async *received(): AsyncGenerator<string, void, undefined> {
    const { silenceMs = 45_000, signal } = this.options;
    const last = this.position === undefined ? undefined : { 'last-event-id': this.position };
    const headers = { accept: 'text/event-stream', ...last };
    const silence = new Deadline(silenceMs, signal);
    const decoder = new TextDecoder();
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    try {
      const { body } = await this.http.open({ ...this.source.request, headers }, silence.signal);
      reader = body.getReader();
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

  private async pause(error: unknown, after: { failures: number; parser: EventStreamParser }): Promise<void> {
    const delayMs = Math.round(after.parser.retryMs + backOffMs(after.failures, error));
    this.options.onReconnect?.(error, delayMs);
    await sleep(delayMs, this.options.signal);
  }
}
