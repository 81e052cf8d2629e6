import { InvalidAnswerError } from '../errors/tributary-error.js';

/** The maximum length of a line of Server-Sent Events in characters; an event of Tributary is far shorter. */
const mostCharacters = 64 * 1024 * 1024;

/** One parsed Server-Sent Event: its name, data and id. */
export interface ServerSentEvent {
  event: string;
  /** Data of the message; undefined if the message contains only an id. */
  data: string | undefined;
  /** The last id that the stream has sent, in this message or an earlier one. */
  id: string;
}

/** Parses Server-Sent Events as specified by the HTML standard (9.2.6), for any split of the text into pieces. */
export class EventStreamParser {
  /** Milliseconds that the server asks the client to wait before it reconnects. */
  retryMs = 0;
  private lastId = '';
  /** The beginning of an incomplete line. */
  private rest = '';
  private endedWithCarriageReturn = false;
  private event = '';
  private data: string[] = [];
  private id: string | undefined;

  /** Parses the next piece of text, and returns the messages that are complete now. */
  feed(text: string): ServerSentEvent[] {
    const messages: ServerSentEvent[] = [];
    for (const line of this.linesOf(text)) {
      const message = line === '' ? this.endBlock() : this.readLine(line);
      if (message) messages.push(message);
    }
    return messages;
  }

  /** Splits a piece into lines. A line ends with CR, LF or CRLF; the LF of a CRLF may be in the next piece. */
  private linesOf(text: string): string[] {
    if (text === '') return [];
    const piece = this.endedWithCarriageReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.endedWithCarriageReturn = text.endsWith('\r');
    const lines = piece.split(/\r\n|\r|\n/);
    lines[0] = this.rest + lines[0]!;
    this.rest = lines.pop()!;
    if (this.rest.length > mostCharacters)
      throw new InvalidAnswerError(`A line of the stream has more than ${mostCharacters} characters.`);
    return lines;
  }

  private readLine(line: string): void {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') this.data.push(value);
    else if (name === 'event') this.event = value;
    else if (name === 'id' && !value.includes('\0')) this.id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  private endBlock(): ServerSentEvent | undefined {
    const { event, data, id } = this;
    [this.event, this.data, this.id] = ['', [], undefined];
    this.lastId = id ?? this.lastId;
    if (data.length === 0 && id === undefined) return undefined;
    return {
      event: event || 'message',
      data: data.length > 0 ? data.join('\n') : undefined,
      id: this.lastId,
    };
  }
}
