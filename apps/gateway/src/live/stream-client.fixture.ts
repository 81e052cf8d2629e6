import type { ServerResponse } from 'node:http';

/** Reads the text of Server-Sent Events. */
export interface MessageParser {
  readonly messages: { event: string; data: string }[];
  lastEventId: string;
  add(text: string): void;
}

type Open = (
  lastEventId: string | undefined,
  begin: () => ServerResponse,
  client: AbortSignal,
) => Promise<void>;

/** A client with one connection after the other. It takes what it is sent unless a spec holds it back. */
export class StreamClient {
  parser: MessageParser;
  /** Bytes that are on their way; taken at once unless `holding`. */
  private pending: string[] = [];
  holding = false;
  ended = false;
  failure: unknown;
  private connection = new AbortController();

  constructor(private readonly newParser: () => MessageParser) {
    this.parser = newParser();
  }

  get errors(): { code: string; detail: string }[] {
    return this.sent('error');
  }

  /** What came in the messages of one kind. */
  sent<Data>(kind: string): Data[] {
    const messages = this.parser.messages.filter(({ event }) => event === kind);
    return messages.map(({ data }) => JSON.parse(data) as Data);
  }

  /** Characters that are on their way. */
  get waiting(): number {
    return this.pending.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** The connection breaks; of what was on its way, the client gets so many characters. */
  cut(characters = 0): void {
    const parser = this.parser;
    parser.add(this.pending.join('').slice(0, characters));
    this.pending = [];
    this.connection.abort(new Error('gone'));
    this.parser = this.newParser();
    this.parser.lastEventId = parser.lastEventId;
    this.parser.messages.push(...parser.messages);
  }

  /** Takes what is on its way. */
  take(): void {
    this.parser.add(this.pending.splice(0).join(''));
  }

  /** Connects, again after the last message that came. Resolves when the connection has ended. */
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
