import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { freshStream, queryEvents, timePattern, waitFor, writeEvent, type SingleWriteAnswer } from './api.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();

describe.each(['core', 'query', 'write'] as const)('POST /api/v1/events on the %s port', (port) => {
  const client = () => system()[port];

  it('acknowledges with the position, and the event can be read at its Location', async () => {
    const stream = freshStream('orders');
    const answer = await client().post('/api/v1/events', {
      ...{ stream, event_type: 'order.placed', entity_id: 'order-17' },
      ...{ data: { amount: 12.5 }, metadata: { source: 'web' } },
    });
    const written = answer.json<SingleWriteAnswer>();
    expect(answer.status).toBe(201);
    expect(written).toMatchObject({ stream, event_type: 'order.placed', entity_id: 'order-17', offset: 0 });
    expect(Object.keys(written).sort()).toEqual(
      ['entity_id', 'event_id', 'event_type', 'offset', 'partition', 'stream', 'timestamp'].sort(),
    );
    expect(written.timestamp).toMatch(timePattern);
    expect(written.event_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    const { events } = await queryEvents(system().core, { stream }, waitFor([written]));
    expect(events).toMatchObject([
      { ...written, version: 1, data: { amount: 12.5 }, metadata: { source: 'web' } },
    ]);
    const location = answer.headers.location!;
    expect(location).toContain(written.event_id);
    const read = await system().core.get(new URL(location, 'http://any').pathname);
    expect(read.json()).toEqual(events[0]);
  });

  it('accepts the same id again and stores the event once: the first one wins', async () => {
    const stream = freshStream();
    const event = { stream, event_type: 't', event_id: randomUUID(), entity_id: 'e', data: { n: 1 } };
    const first = await writeEvent(client(), event);
    const again = await writeEvent(client(), { ...event, data: { n: 2 } });
    const upper = await writeEvent(client(), {
      ...event,
      event_id: event.event_id.toUpperCase(),
      data: { n: 3 },
    });
    const after = await writeEvent(client(), { ...event, event_id: randomUUID(), data: { n: 4 } });
    expect([again.event_id, upper.event_id]).toEqual([first.event_id, first.event_id]);
    const { events } = await queryEvents(system().core, { stream }, waitFor([after]));
    expect(events.map(({ data, version }) => [data.n, version]).sort()).toEqual([
      [1, 1],
      [4, 2],
    ]);
  });

  it("keeps the order of an entity's events, with versions in that order", async () => {
    const stream = freshStream();
    const written: SingleWriteAnswer[] = [];
    for (let n = 1; n <= 12; n++)
      written.push(await writeEvent(client(), { stream, event_type: 't', entity_id: 'one', data: { n } }));
    const { events } = await queryEvents(system().core, { stream, entity_id: 'one' }, waitFor(written));
    const inLog = events.sort((a, b) => a.offset - b.offset);
    expect(inLog.map(({ data }) => data.n)).toEqual(inLog.map((_, i) => i + 1));
    expect(inLog.map(({ version }) => version)).toEqual(inLog.map((_, i) => i + 1));
    expect(new Set(inLog.map(({ partition }) => partition)).size).toBe(1);
  });

  it('assigns no version to an event without an entity', async () => {
    const stream = freshStream();
    const written = await writeEvent(client(), { stream, event_type: 't', data: {} });
    const { events } = await queryEvents(system().core, { stream }, waitFor([written]));
    expect(events).toMatchObject([{ entity_id: null, version: null, metadata: {}, schema_version: null }]);
  });
});
