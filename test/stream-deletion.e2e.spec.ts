import { describe, expect, it } from 'vitest';
import { topicOf, type HttpClient } from '#testkit';
import {
  expectProblem,
  freshStream,
  path,
  queryEvents,
  waitFor,
  writeEvent,
  type BatchAnswer,
  type SingleWriteAnswer,
} from './api.js';
import { topicsOf } from './topics.js';
import { useStack } from './use-stack.js';

const system = useStack();

const events = (stream: string, count = 60) =>
  Array.from({ length: count }, (_, n) => ({
    stream,
    event_type: `t${n % 3}`,
    entity_id: `e${n % 7}`,
    event_id: `019aa4e2-7d53-7c1e-9a3e-${String(n).padStart(12, '0')}`,
    data: { n },
  }));

async function writeAll(
  client: HttpClient,
  batch: readonly { stream: string }[],
): Promise<SingleWriteAnswer[]> {
  const answer = await client.post('/api/v1/events/batch', { events: batch });
  expect(answer.status, answer.text).toBe(201);
  return answer.json<BatchAnswer>().events.map((one, n) => ({ ...one, stream: batch[n]!.stream }));
}

const drop = (client: HttpClient, stream: string) =>
  client.send('DELETE', `/api/v1/streams/${stream}?confirm=${stream}`);

describe.each(['core', 'query'] as const)('a stream that is deleted on the %s port', (port) => {
  const client = () => system()[port];

  it('is removed with its topic, its events, its entities and its name', async () => {
    const [stream, other] = [freshStream(), freshStream()];
    const written = await writeAll(client(), events(stream));
    const kept = await writeAll(client(), events(other, 5));
    await queryEvents(client(), { stream }, waitFor([...written, ...kept]));
    const topic = await topicOf(system(), stream);
    const answer = await drop(client(), stream);
    expect(answer.status, answer.text).toBe(204);
    // Brokers learn of the deletion one after the other, some after the controller has answered.
    await expect.poll(() => topicsOf(system())).not.toContain(topic);
    for (const route of ['/api/v1/events/query', '/api/v1/events/count', '/api/v1/entities']) {
      expectProblem(await client().get(path(route, { stream })), 'stream_not_found');
      expect((await client().get(route)).text).not.toContain(stream);
    }
    expectProblem(await client().get(`/api/v1/streams/${stream}`), 'stream_not_found');
    const grouped = await client().get('/api/v1/events/count?group_by=stream');
    expect(grouped.text).not.toContain(stream);
    expect(grouped.text).toContain(other);
    expect((await queryEvents(client(), { stream: other })).count).toBe(5);
    expectProblem(await drop(client(), stream), 'stream_not_found');
  });

  it('can be created again as an independent stream: it accepts the same ids, and versions start from 1', async () => {
    const stream = freshStream();
    const first = await writeAll(client(), events(stream));
    await queryEvents(client(), { stream }, waitFor(first));
    expect((await drop(client(), stream)).status).toBe(204);
    for (let round = 0; round < 2; round++) {
      const batch = events(stream, 21).map((event) => ({ ...event, data: { round } }));
      const again = await writeAll(client(), batch);
      const page = await queryEvents(client(), { stream, limit: '1000' }, waitFor(again));
      expect(page.events).toHaveLength(21);
      expect(page.events.every(({ data }) => data.round === round)).toBe(true);
      const versions = page.events
        .filter(({ entity_id }) => entity_id === 'e3')
        .map(({ version }) => version);
      expect(versions).toEqual([1, 2, 3]);
      const counted = await client().get(path('/api/v1/events/count', { stream }));
      expect(counted.json()).toMatchObject({ total: 21 });
      expect((await client().get(`/api/v1/streams/${stream}`)).json()).toMatchObject({ events: 21 });
      const entities = await client().get(path('/api/v1/entities', { stream }));
      expect(entities.json<{ entities: { version: number }[] }>().entities.map((e) => e.version)).toEqual(
        Array.from({ length: 7 }, () => 3),
      );
      expect((await drop(client(), stream)).status).toBe(204);
    }
  });

  it('can be created again, also with entities that were erased from the former stream', async () => {
    const stream = freshStream();
    await queryEvents(client(), { stream }, waitFor(await writeAll(client(), events(stream))));
    const erase = path('/api/v1/entities/e3', { stream, confirm: 'e3' });
    expect((await system().query.send('DELETE', erase)).status).toBe(200);
    expect((await drop(client(), stream)).status).toBe(204);
    const again = await writeAll(client(), events(stream, 21));
    const page = await queryEvents(client(), { stream, entity_id: 'e3' }, waitFor(again));
    expect(page.events.map(({ version }) => version)).toEqual([1, 2, 3]);
  });

  it('requires the confirmation of its name', async () => {
    const stream = freshStream();
    await writeEvent(client(), { stream, event_type: 't', data: {} });
    for (const query of ['', '?confirm=', '?confirm=yes', `?confirm=${stream}x`]) {
      const problem = expectProblem(
        await client().send('DELETE', `/api/v1/streams/${stream}${query}`),
        'invalid_request',
      );
      expect(problem.errors).toMatchObject([{ pointer: 'confirm' }]);
      expect(problem.errors?.[0]?.detail).toMatch(query === '?confirm=' ? /./ : `confirm=${stream}`);
    }
    expect((await client().get(`/api/v1/streams/${stream}`)).status).toBe(200);
  });
});

describe('a stream that is deleted while others write to it', () => {
  it('afterwards contains exactly the events that were written to its successor', async () => {
    const stream = freshStream();
    const acknowledged: { n: number; written: SingleWriteAnswer }[] = [];
    let [n, running] = [0, true];
    const writing = (async () => {
      while (running) {
        const event = { stream, event_type: 't', entity_id: 'e', data: { n: n++ } };
        const answer = await system().write.post('/api/v1/events', event);
        expect(answer.status, answer.text).toBeOneOf([201, 404, 409, 503]);
        if (answer.status === 201) acknowledged.push({ n: n - 1, written: answer.json<SingleWriteAnswer>() });
      }
    })();
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
    const answer = await drop(system().core, stream);
    expect(answer.status, answer.text).toBe(204);
    const atDeletion = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(atDeletion + 50);
    running = false;
    await writing;
    const last = acknowledged.at(-1)!.written;
    const page = await queryEvents(system().core, { stream, limit: '10000' }, waitFor([last]));
    const seen = page.events.map(({ data }) => Number(data.n));
    expect(seen).toEqual(acknowledged.map((one) => one.n).filter((one) => one >= seen[0]!));
    expect(page.events.map(({ version }) => version)).toEqual(seen.map((_, i) => i + 1));
    expect(page.events.map(({ offset }) => offset)).toEqual(seen.map((_, i) => i));
  });
});
