import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/**
 * A server that acknowledges each batch of events at once and stores none. A load on it measures only the client and
 * HTTP.
 */
export class AcknowledgingServer {
  private offset = 0;
  private readonly server = createServer((request, response) => void this.answer(request, response));

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the server does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    const events = eventIds(bytes.toString('latin1')).map((event_id) => this.position(event_id));
    const batch = request.url === '/api/v1/events/batch';
    const answer = batch ? { accepted: events.length, rejected: 0, events } : events[0];
    response.writeHead(201, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  }

  private position(event_id: string): object {
    return { event_id, partition: 0, offset: this.offset++ };
  }
}

/** Returns the ids of the events: the client writes the id as the first member. */
function eventIds(body: string): string[] {
  return Array.from(body.matchAll(/\{"event_id":"([^"]+)"/g), ([, id]) => id!);
}
