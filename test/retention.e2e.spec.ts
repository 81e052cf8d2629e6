import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type HttpClient, topicOf } from '#testkit';
import { expectProblem, freshStream, path, queryEvents, waitFor, writeEvent } from './api.js';
import { topicSetting } from './topics.js';
import { useStack } from './use-stack.js';

const system = useStack();

const change = (client: HttpClient, stream: string, body: object) =>
  client.send('PATCH', `/api/v1/streams/${stream}`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
const setting = async (stream: string, name: string) =>
  topicSetting(system(), await topicOf(system(), stream), name);

describe.each(['core', 'query'] as const)('the retention of a stream, on the %s port', (port) => {
  const client = () => system()[port];

  it('is the retention of its topic, after the creation and after a change', async () => {
    const stream = freshStream();
    const created = await client().post('/api/v1/streams', {
      ...{ stream, partitions: 2 },
      retention: { time: '7d', bytes: 64_000_000 },
    });
    expect(created.status, created.text).toBe(201);
    expect(await setting(stream, 'retention.ms')).toBe(String(7 * 86_400_000));
    expect(await setting(stream, 'retention.bytes')).toBe('32000000');
    const changed = await change(client(), stream, { retention: { time: 'PT12H' } });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.json()).toMatchObject({ stream, partitions: 2, retention: { time: 'PT12H' } });
    expect(await setting(stream, 'retention.ms')).toBe(String(12 * 3_600_000));
    expect(await setting(stream, 'retention.bytes')).toBe('-1');
    expect((await change(client(), stream, { retention: 'unlimited' })).status).toBe(200);
    expect(await setting(stream, 'retention.ms')).toBe('-1');
    const shown = await client().get(`/api/v1/streams/${stream}`);
    expect(shown.json()).toMatchObject({ stream, retention: 'unlimited', events: 0 });
  });

  it.each([
    [{}, '/retention'],
    [{ retention: '7d' }, '/retention'],
    [{ retention: {} }, '/retention'],
    [{ retention: { time: '-1d' } }, '/retention/time'],
    [{ retention: { time: 'PT0S' } }, '/retention/time'],
    [{ retention: { bytes: 0 } }, '/retention/bytes'],
    [{ retention: 'unlimited', partitions: 9 }, '/partitions'],
  ])('cannot be changed to %j', async (body, pointer) => {
    const stream = freshStream();
    await client().post('/api/v1/streams', { stream });
    const problem = expectProblem(await change(client(), stream, body), 'invalid_request');
    expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
    expectProblem(await change(client(), freshStream(), { retention: 'unlimited' }), 'stream_not_found');
  });
});

describe('events past the retention of their stream', () => {
  it('are in no answer; the other events and the versions remain', async () => {
    const [short, long] = [freshStream(), freshStream()];
    const write = async (stream: string, n: number) =>
      writeEvent(system().core, { stream, event_type: 't', entity_id: 'e', data: { n } });
    const old = [await write(short, 1), await write(short, 2), await write(long, 1)];
    await queryEvents(system().core, {}, waitFor(old));
    expect((await change(system().core, short, { retention: { time: '2s' } })).status).toBe(200);
    await sleep(2500);
    const fresh = await write(short, 3);
    await queryEvents(system().core, {}, waitFor([fresh]));
    // The materializer applies retention at its start, and every few minutes.
    await system().materializer.restart();
    await expect
      .poll(async () => (await queryEvents(system().core, { stream: short })).events.map((e) => e.data.n))
      .not.toContain(1);
    // The new event may expire between two of these queries.
    await expect
      .poll(async () => {
        const { events } = await queryEvents(system().core, { stream: short });
        for (const event of events) expect(event).toMatchObject({ version: 3, data: { n: 3 } });
        const counted = await system().core.get(path('/api/v1/events/count', { stream: short }));
        const shown = await system().core.get(`/api/v1/streams/${short}`);
        const { total } = counted.json<{ total: number }>();
        return new Set([events.length, total, shown.json<{ events: number }>().events]).size;
      })
      .toBe(1);
    expectProblem(await system().core.get(`/api/v1/events/${old[0]!.event_id}`), 'event_not_found');
    expect((await queryEvents(system().core, { stream: long })).count).toBe(1);
    expect((await change(system().core, short, { retention: 'unlimited' })).status).toBe(200);
    const last = await write(short, 4);
    const after = await queryEvents(system().core, { stream: short, order: 'desc' }, waitFor([last]));
    expect(after.events[0]).toMatchObject({ version: 4, data: { n: 4 } });
  });
});
