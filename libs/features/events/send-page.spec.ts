import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import type { StoredEvent } from '#event';
import { sendPage } from './send-page.js';

const event: StoredEvent = {
  ...{
    event_id: 'e',
    stream: 'orders',
    event_type: 't',
    entity_id: null,
    version: null,
    schema_version: null,
  },
  ...{ timestamp: 't', ingested_at: 't', partition: 0, offset: 0, metadata: '{}', data: '{}' },
};

/** Returns the answer that is sent for a page of this many events, each with this many characters of data. */
function sent(count: number, characters: number): Readable | string {
  const data = `{"t":"${'x'.repeat(characters)}"}`;
  const items = Array.from({ length: count }, () => ({ ...event, data }));
  let body: unknown;
  const request = { url: '/', server: {} } as FastifyRequest;
  const reply = { headers: () => reply, send: (given: unknown) => void (body = given) };
  sendPage({ items }, 'application/json', { request, reply: reply as unknown as FastifyReply });
  return body as Readable | string;
}

it('sends a small page at once', () => {
  expect(JSON.parse(sent(2, 10) as string)).toMatchObject({ count: 2 });
});

it('lets other work run between large pieces, even when the client reads fast', async () => {
  let [rounds, done] = [0, false];
  const count = (): void => {
    rounds++;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  let text = '';
  for await (const piece of sent(5, 300_000) as Readable) text += String(piece);
  done = true;
  expect(JSON.parse(text)).toMatchObject({ count: 5 });
  expect(rounds).toBeGreaterThanOrEqual(3);
});
