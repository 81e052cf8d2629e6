import { describe, expect, it } from 'vitest';
import { expectProblem, freshStream, path, queryEvents, waitFor, writeEvent } from './api.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();

interface StreamList {
  total: number;
  streams: {
    stream: string;
    partitions: number;
    events: number;
    first_timestamp: string | null;
    last_timestamp: string | null;
    retention: unknown;
    created_at: string;
  }[];
}

const listed = async (stream: string) => {
  const answer = await system().core.get(path('/api/v1/streams', { limit: '10000' }));
  expect(answer.status, answer.text).toBe(200);
  return answer.json<StreamList>().streams.find((one) => one.stream === stream);
};

describe.each(['core', 'query'] as const)('streams on the %s port', (port) => {
  const client = () => system()[port];

  it('can be created with given partitions and retention', async () => {
    const stream = freshStream();
    const answer = await client().post('/api/v1/streams', {
      stream,
      partitions: 3,
      retention: { time: '7d' },
    });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json()).toMatchObject({ stream, partitions: 3 });
    expect(await listed(stream)).toMatchObject({
      partitions: 3,
      events: 0,
      first_timestamp: null,
      last_timestamp: null,
    });
    const written = await writeEvent(client(), { stream, event_type: 't', data: {} });
    expect(written.partition).toBeLessThan(3);
  });

  it('are created by their first event with the defaults', async () => {
    const stream = freshStream();
    const [early, late] = ['2026-01-01T00:00:00.000001Z', '2026-02-01T00:00:00.000000Z'];
    const written = [
      await writeEvent(client(), { stream, event_type: 't', data: {}, timestamp: late }),
      await writeEvent(client(), { stream, event_type: 't', data: {}, timestamp: early }),
    ];
    await queryEvents(system().core, { stream }, waitFor(written));
    const found = await listed(stream);
    expect(found).toMatchObject({ partitions: 4, events: 2, first_timestamp: early, last_timestamp: late });
    expect(found).toMatchObject({
      retention: 'unlimited',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
  });

  it('are refused if they exist, or if their names collide in Kafka', async () => {
    const stream = freshStream('a.b');
    expect((await client().post('/api/v1/streams', { stream })).status).toBe(201);
    expectProblem(await client().post('/api/v1/streams', { stream }), 'stream_exists');
    const collides = { stream: stream.replace('.', '_') };
    expectProblem(await client().post('/api/v1/streams', collides), 'stream_name_collision');
    const write = await system().write.post('/api/v1/events', { ...collides, event_type: 't', data: {} });
    expectProblem(write, 'stream_name_collision');
  });

  it.each([
    [{ stream: 'x', partitions: 0 }, '/partitions'],
    [{ stream: 'x', partitions: 257 }, '/partitions'],
    [{ stream: 'x', partitions: '3' }, '/partitions'],
    [{ stream: '__consumer_offsets' }, '/stream'],
    [{ stream: 'x', retention: 'for ever' }, '/retention'],
    [{ stream: 'x', colour: 1 }, '/colour'],
    [{}, '/stream'],
  ])('refuses %j', async (body, pointer) => {
    const problem = expectProblem(await client().post('/api/v1/streams', body), 'invalid_request');
    expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
  });

  it('can be queried immediately, without a restart', async () => {
    const stream = freshStream();
    const written = await writeEvent(system().write, { stream, event_type: 't', data: { first: true } });
    const { events } = await queryEvents(client(), { stream }, waitFor([written]));
    expect(events).toMatchObject([{ data: { first: true } }]);
  });
});

describe.each(['core', 'query'] as const)('GET /api/v1/entities on the %s port', (port) => {
  const client = () => system()[port];

  it('shows each entity with its latest version and time', async () => {
    const stream = freshStream();
    const written = [];
    for (const [n, entity_id] of ['a', 'b', 'a', 'a', 'c/ž 1'].entries()) {
      const timestamp = `2026-01-0${n + 1}T00:00:00.000000Z`;
      written.push(
        await writeEvent(system().core, { stream, event_type: 't', entity_id, timestamp, data: {} }),
      );
    }
    await queryEvents(system().core, { stream }, waitFor(written));
    const answer = await client().get(path('/api/v1/entities', { stream }));
    expect(answer.status, answer.text).toBe(200);
    const { entities } = answer.json<{
      entities: { entity_id: string; version: number; last_timestamp?: string }[];
    }>();
    expect(entities.map(({ entity_id, version }) => [entity_id, version]).sort()).toEqual([
      ['a', 3],
      ['b', 1],
      ['c/ž 1', 1],
    ]);
    expect(JSON.stringify(entities)).toContain('2026-01-04T00:00:00.000000Z');
  });

  it('pages through all of them', async () => {
    const stream = freshStream();
    const events = Array.from({ length: 25 }, (_, n) => ({
      stream,
      event_type: 't',
      entity_id: `e${n}`,
      data: {},
    }));
    const batch = await system().core.post('/api/v1/events/batch', { events });
    await queryEvents(system().core, { stream }, waitFor(batch.json<{ events: [] }>().events, stream));
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const answer = await client().get(
        path('/api/v1/entities', { stream, limit: '10' }, cursor ? { cursor } : {}),
      );
      const page = answer.json<{ entities: { entity_id: string }[]; next_cursor?: string | null }>();
      seen.push(...page.entities.map(({ entity_id }) => entity_id));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen.sort()).toEqual(events.map(({ entity_id }) => entity_id).sort());
  });
});
