import type { ServerResponse } from 'node:http';

/** The parser of Server-Sent Events that a `StreamClient` uses, such as the one of the client package. */
export interface ServerSentEventParser {
  readonly messages: { event: string; data: string }[];
  lastEventId: string;
  add(text: string): void;
}

type Open = (
  lastEventId: string | undefined,
  begin: () => ServerResponse,
  client: AbortSignal,
) => Promise<void>;

/**
 * A simulated client of a live stream that opens one connection after the other. The client receives all text at once;
 * while a spec sets `holding`, text remains in flight.
 */
export class StreamClient {
  parser: ServerSentEventParser;
  /** Text in flight. The client receives it at once unless `holding` is set. */
  private pending: string[] = [];
  holding = false;
  ended = false;
  failure: unknown;
  private connection = new AbortController();

  constructor(private readonly newParser: () => ServerSentEventParser) {
    this.parser = newParser();
  }

  get errors(): { code: string; detail: string }[] {
    return this.sent('error');
  }

  /** Returns the parsed data of the received messages of one kind. */
  sent<Data>(kind: string): Data[] {
    const messages = this.parser.messages.filter(({ event }) => event === kind);
    return messages.map(({ data }) => JSON.parse(data) as Data);
  }

  /** Number of characters that were sent and that the client has not received. */
  get waiting(): number {
    return this.pending.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** Breaks the connection. The client still receives the given number of characters in flight. */
  cut(characters = 0): void {
    const parser = this.parser;
    parser.add(this.pending.join('').slice(0, characters));
    this.pending = [];
    this.connection.abort(new Error('gone'));
    this.parser = this.newParser();
    this.parser.lastEventId = parser.lastEventId;
    this.parser.messages.push(...parser.messages);
  }

  /** Lets the client receive all text that is in flight. */
  take(): void {
    this.parser.add(this.pending.splice(0).join(''));
  }

  /** Connects, and resumes after the last received message if there is one. Resolves when the connection has ended. */
  protected open(open: Open): Promise<void> {
    this.connection = new AbortController();
    this.pending = [];
    [this.ended, this.failure] = [false, undefined];
    const lastEventId = this.parser.lastEventId === '' ? undefined : this.parser.lastEventId;
    return open(lastEventId, () => this.response(), this.connection.signal)
      .catch((error: unknown) => (this.failure = error))
      .then(() => {
        this.ended = true;
      });
  }

  private response(): ServerResponse {
    const { signal } = this.connection;
    const write = (piece: string | Buffer) => {
      if (signal.aborted) return;
      this.pending.push(piece.toString());
      if (!this.holding) this.take();
    };
    const waiting = () => this.waiting;
    return {
      write,
      end: () => undefined,
      destroy: () => undefined,
      writableFinished: true,
      get writableLength() {
        return waiting();
      },
    } as unknown as ServerResponse;
  }
}
