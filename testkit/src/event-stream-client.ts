import { request, type ClientRequest, type IncomingMessage } from 'node:http';

/** One message of a stream of Server-Sent Events: its name, data and id. */
interface ServerSentEvent {
  id: string;
  event: string;
  data: string;
}

/** Parses the text of Server-Sent Events, in pieces, as specified by the HTML Living Standard (9.2.6). */
export class EventStreamParser {
  readonly messages: ServerSentEvent[] = [];
  comments = 0;
  lastEventId = '';
  retryMs: number | undefined;
  private rest = '';
  private id: string | undefined;
  private event = '';
  private data: string[] = [];

  add(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.line(line);
  }

  private line(line: string): void {
    if (line === '') return this.dispatch();
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name === '') this.comments++;
    else if (name === 'id') this.id = value;
    else if (name === 'event') this.event = value;
    else if (name === 'data') this.data.push(value);
    else if (name === 'retry') this.retryMs = Number(value);
    else throw new Error(`not a field: ${line}`);
  }

  private dispatch(): void {
    if (this.id !== undefined) this.lastEventId = this.id;
    if (this.data.length > 0) {
      const event = this.event === '' ? 'message' : this.event;
      this.messages.push({ id: this.lastEventId, event, data: this.data.join('\n') });
    }
    [this.id, this.event, this.data] = [undefined, '', []];
  }
}

/** One connection to a stream of Server-Sent Events. The client does not reconnect. */
export class EventStreamClient extends EventStreamParser {
  status = 0;
  headers: IncomingMessage['headers'] = {};
  /** The body of an answer that is not a stream of Server-Sent Events. */
  text = '';
  /** True if the answer has ended or the connection was closed. */
  ended = false;
  private answer: IncomingMessage | undefined;
  private readonly request: ClientRequest;

  private constructor(url: string, headers: Record<string, string>) {
    super();
    this.request = request(url, { headers, agent: false });
  }

  /** Resolves when the headers of the answer have arrived. */
  static open(url: string, headers: Record<string, string> = {}): Promise<EventStreamClient> {
    const client = new EventStreamClient(url, headers);
    return new Promise((resolve, reject) => {
      client.request.on('error', (error) => {
        client.ended = true;
        reject(error);
      });
      client.request.on('response', (answer) => {
        client.read(answer);
        resolve(client);
      });
      client.request.end();
    });
  }

  /** Stops reading from the connection. */
  pause(): void {
    this.answer?.pause();
  }

  resume(): void {
    this.answer?.resume();
  }

  close(): void {
    this.request.destroy();
  }

  private read(answer: IncomingMessage): void {
    this.answer = answer;
    this.status = answer.statusCode ?? 0;
    this.headers = answer.headers;
    const isStream = answer.headers['content-type'] === 'text/event-stream';
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => {
      if (isStream) this.add(text);
      else this.text += text;
    });
    answer.on('close', () => (this.ended = true));
    answer.on('error', () => undefined);
  }
}
