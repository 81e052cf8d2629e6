import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Tributary } from '#client';
import type { DemoEvent } from './event.js';
import { load } from './load.js';

let server: Server | undefined;

async function serve(listener: RequestListener): Promise<Tributary> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return new Tributary({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

afterEach(() => void server?.close());

const event = (n: number): DemoEvent => ({
  event_id: `019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c1${n}`,
  ...{ stream: 's', event_type: 't', entity_id: 'e', timestamp: '2026-01-01T00:00:00Z' },
  ...{ data: { n }, metadata: {} },
});

const problem = { type: 'p', title: 'p', status: 422, detail: 'It does not fit.', code: 'schema_violation' };

describe('loading events', () => {
  it('ends when all are acknowledged, and counts them', async () => {
    let offset = 0;
    const client = await serve((_request, response) =>
      response.writeHead(201).end(
        JSON.stringify({
          accepted: 2,
          rejected: 0,
          events: [1, 2].map(() => ({ partition: 3, offset: offset++ })),
        }),
      ),
    );
    let written = 0;
    const options = { batchSize: 10, concurrency: 1, onWritten: (count: number) => (written += count) };
    await load(client, [event(1), event(2)], options);
    expect(written).toBe(2);
    expect(client.afterWrites('s')).toEqual(['s:3:1']);
  });

  it('fails if one event was refused', async () => {
    const client = await serve((_request, response) =>
      response.writeHead(207).end(
        JSON.stringify({
          accepted: 1,
          rejected: 1,
          events: [{ partition: 0, offset: 0 }, { error: problem }],
        }),
      ),
    );
    const options = { batchSize: 10, concurrency: 1, onWritten: () => undefined };
    await expect(load(client, [event(1), event(2)], options)).rejects.toThrow('It does not fit.');
  });
});
