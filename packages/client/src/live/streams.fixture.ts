import { HttpClient, type Fetch } from '../http/http-client.js';

/** One connection of a fake server: the pieces of text that it sends, and whether it then ends, breaks or is silent. */
export interface ConnectionScript {
  pieces?: string[];
  then: 'end' | 'break' | 'silence';
  status?: number;
  type?: string;
}

/** A server of Server-Sent Events that plays these connections one after the other, and repeats the last one. */
export function givenStreams(...connections: ConnectionScript[]) {
  const headers: Record<string, string>[] = [];
  const urls: string[] = [];
  const fetch: Fetch = async (url, init) => {
    const connection = connections[Math.min(headers.length, connections.length - 1)]!;
    headers.push(init.headers as Record<string, string>);
    urls.push(url);
    const { status = 200, type = 'text/event-stream' } = connection;
    return new Response(bodyOf(connection, init.signal), { status, headers: { 'content-type': type } });
  };
  return { http: new HttpClient({ url: 'http://tributary', timeoutMs: 1_000, fetch }), headers, urls };
}

function bodyOf({ pieces = [], then }: ConnectionScript, signal?: AbortSignal | null): ReadableStream {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      signal?.addEventListener('abort', () => controller.error(signal.reason));
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      if (then === 'end') controller.close();
      // The sent pieces are read first: an error discards the queue.
      if (then === 'break') setTimeout(() => controller.error(new Error('reset')), 20);
    },
  });
}

/** Returns an event in the form in which the stream sends it. */
export function eventMessage(event_id: string, id?: string): string {
  const event = `{"event_id":"${event_id}","stream":"s","data":{"n": 1.0},"metadata":{}}`;
  return `${id === undefined ? '' : `id: ${id}\n`}event: event\ndata: ${event}\n\n`;
}

export function errorMessage(code: string, status: number): string {
  const document = { type: 't', title: code, status, detail: `It is ${code}.`, code, request_id: 'r' };
  return `event: error\ndata: ${JSON.stringify(document)}\n\n`;
}
