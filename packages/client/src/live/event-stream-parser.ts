import { InvalidAnswerError } from '../errors/tributary-error.js';

/** Characters of a line at most: an event has far fewer. */
const mostCharacters = 64 * 1024 * 1024;

/** What one block of Server-Sent Events says. */
export interface StreamMessage {
  event: string;
  /** Undefined where the block only moves the id. */
  data: string | undefined;
  /** The last id, also where it came earlier. */
  id: string;
}

/** Reads Server-Sent Events as the HTML standard says (9.2.6), whatever pieces their text comes in. */
export class EventStreamParser {
  /** Milliseconds that the server asks to wait before the next connection. */
  retryMs = 0;
  private lastId = '';
  /** The line that has not ended yet. */
  private rest = '';
  private endedWithCarriageReturn = false;
  private event = '';
  private data: string[] = [];
  private id: string | undefined;

  /** The messages that end in this piece. */
  feed(text: string): StreamMessage[] {
    const messages: StreamMessage[] = [];
    for (const line of this.linesOf(text)) {
      const message = line === '' ? this.endBlock() : this.readLine(line);
      if (message) messages.push(message);
    }
    return messages;
  }

  /** A line ends with CR, LF or both; the LF of both may come in the next piece. */
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

  private endBlock(): StreamMessage | undefined {
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
