import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiClient, waitSeconds } from './client.js';
import { earthquakeEvent } from './earthquakes.js';

let server: Server | undefined;

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => void server?.close());

const event = earthquakeEvent(
  {
    id: 'ci1',
    properties: {
      mag: 1,
      magType: 'ml',
      place: 'here',
      time: 0,
      type: 'earthquake',
      net: 'ci',
      status: 'reviewed',
      felt: null,
      tsunami: 0,
      url: 'https://example.org/ci1',
    },
    geometry: { coordinates: [1, 2, 3] },
  },
  'earthquakes',
);

describe('the demo’s client', () => {
  it('sends the same batch again when the system is overloaded, and hands out where it was written', async () => {
    const bodies: string[] = [];
    const url = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        bodies.push(body);
        if (bodies.length === 1) return response.writeHead(503, { 'retry-after': '0' }).end('{}');
        return response
          .writeHead(201)
          .end(JSON.stringify({ accepted: 1, rejected: 0, events: [{ partition: 3, offset: 7 }] }));
      });
    });
    const client = new ApiClient({ ingestUrl: url, queryUrl: url, apiKey: undefined });
    expect(await client.write([event])).toEqual([{ partition: 3, offset: 7 }]);
    expect(bodies).toEqual([JSON.stringify(event), JSON.stringify(event)]);
  });

  it('fails when a part of the batch was refused', async () => {
    const url = await serve((_request, response) =>
      response.writeHead(207).end(JSON.stringify({ accepted: 0, rejected: 1, events: [{ error: {} }] })),
    );
    const client = new ApiClient({ ingestUrl: url, queryUrl: url, apiKey: undefined });
    await expect(client.write([event])).rejects.toThrow('only 0 of 1 events were accepted');
  });

  it('does not repeat what will never succeed', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests++;
      response.writeHead(401).end('no key');
    });
    const client = new ApiClient({ ingestUrl: url, queryUrl: url, apiKey: 'wrong' });
    await expect(client.read('streams')).rejects.toMatchObject({ status: 401 });
    expect(requests).toBe(1);
  });

  it('says which address does not answer', async () => {
    const url = await serve(() => undefined);
    await new Promise((resolve) => server!.close(resolve));
    const client = new ApiClient({ ingestUrl: url, queryUrl: url, apiKey: undefined, attempts: 2 });
    await expect(client.read('streams')).rejects.toThrow(`no answer from ${url}`);
  });
});

describe('the time before the next attempt', () => {
  it('is what Retry-After asks for, within reason', () => {
    expect(waitSeconds(new Response('', { headers: { 'retry-after': '2' } }), 1)).toBe(2);
    expect(waitSeconds(new Response('', { headers: { 'retry-after': '86400' } }), 1)).toBe(30);
  });

  it('doubles with each attempt when nothing is asked for', () => {
    expect([1, 2, 3, 20].map((attempt) => waitSeconds(new Error(), attempt))).toEqual([0.25, 0.5, 1, 30]);
  });
});
