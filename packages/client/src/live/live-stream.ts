import { isTransient } from '../errors/is-transient.js';
import { InternalError } from '../errors/problem-classes.js';
import { UnreachableError } from '../errors/tributary-error.js';
import { backOffMs } from '../http/back-off.js';
import type { ApiRequest, CallOptions, HttpClient } from '../http/http-client.js';
import { sleep } from '../http/sleep.js';
import type { StreamMessage } from './event-stream-parser.js';
import { LiveConnection } from './live-connection.js';

export interface LiveOptions extends CallOptions {
  /** Goes on where another stream was: its `position`. */
  from?: string;
  /** Milliseconds of silence after which a connection counts as dead; default 45 000: three heart-beats. */
  silenceMs?: number;
  /** Told each time before it connects again, why and in how many milliseconds. */
  onReconnect?: (error: unknown, delayMs: number) => void;
}

/** What a stream is of. */
export interface LiveSource<T> {
  request: ApiRequest;
  /** What a message says; undefined where it says nothing new. */
  read(message: StreamMessage): T | undefined;
}

/**
 * Follows something for as long as it is iterated. It connects again by itself, from where it was; what cannot be mended
 * by that is thrown.
 */
export class LiveStream<T> implements AsyncIterable<T> {
  /** How far it is, what was iterated last included: give it to another stream as `from`, after a restart for example. */
  position: string | undefined;

  constructor(
    private readonly http: HttpClient,
    private readonly source: LiveSource<T>,
    private readonly options: LiveOptions,
  ) {
    this.position = options.from;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let failures = 0; ; failures++) {
      const connection = this.connection();
      try {
        for await (const message of connection.messages()) {
          failures = 0;
          if (message.id) this.position = message.id;
          const item = this.source.read(message);
          if (item !== undefined) yield item;
        }
        await this.pause(new UnreachableError('The stream ended.'), { failures, connection });
      } catch (error) {
        this.options.signal?.throwIfAborted();
        if (!isTransient(error) && !(error instanceof InternalError)) throw error;
        await this.pause(error, { failures, connection });
      }
    }
  }

  private connection(): LiveConnection {
    const { request } = this.source;
    const { silenceMs = 45_000, signal } = this.options;
    const last = this.position === undefined ? undefined : { 'last-event-id': this.position };
    const headers = { accept: 'text/event-stream', ...last };
    return new LiveConnection(this.http, { ...request, headers }, { silenceMs, signal });
  }

  private async pause(
    error: unknown,
    after: { failures: number; connection: LiveConnection },
  ): Promise<void> {
    const delayMs = Math.round(after.connection.retryMs + backOffMs(after.failures, error));
    this.options.onReconnect?.(error, delayMs);
    await sleep(delayMs, this.options.signal);
  }
}
