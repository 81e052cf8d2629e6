import { describe, expect, it } from 'vitest';
import {
  expectProblem,
  freshStream,
  path,
  queryEvents,
  waitFor,
  writeEvent,
  type BatchAnswer,
  type ReadEvent,
  type SingleWriteAnswer,
} from './api.js';
import { sql } from './sql.js';
import { forgetProgress } from './topics.js';
import { useStack } from './use-stack.js';

const system = useStack();

interface Erased {
  stream: string;
  entity_id: string;
  events_erased: number;
  pending: boolean;
  erased_at: string;
}

/** Writes ten events of each of three entities, and returns them when they can be queried. */
async function givenEntities(stream: string, names = ['ann', 'bob', 'c/ü 1']): Promise<ReadEvent[]> {
  const events = Array.from({ length: names.length * 10 }, (_, n) => ({
    stream,
    event_type: 't',
    entity_id: names[n % names.length]!,
    data: { n, secret: `of ${names[n % names.length]}` },
  }));
  const answer = await system().core.post('/api/v1/events/batch', { events });
  expect(answer.status, answer.text).toBe(201);
  const written = answer.json<BatchAnswer>().events.map((one): SingleWriteAnswer => ({ ...one, stream }));
  return (await queryEvents(system().core, { stream, limit: '1000' }, waitFor(written))).events;
}

const erase = (client: 'core' | 'query', stream: string, entity: string) =>
  system()[client].send(
    'DELETE',
    path(`/api/v1/entities/${encodeURIComponent(entity)}`, { stream, confirm: entity }),
  );

/** Asserts that no answer contains the entity, and that all answers contain the other entities completely. */
async function expectErased(stream: string, gone: string, all: readonly ReadEvent[]): Promise<void> {
  const { core } = system();
  const left = all.filter(({ entity_id }) => entity_id !== gone);
  for (const order of ['asc', 'desc']) {
    const { events } = await queryEvents(core, { stream, order, limit: '1000' });
    expect(events.map(({ event_id }) => event_id).sort()).toEqual(left.map((e) => e.event_id).sort());
    expect(events.map(({ version }) => version).sort()).toEqual(left.map(({ version }) => version).sort());
  }
  expect((await queryEvents(core, { stream, entity_id: gone })).events).toEqual([]);
  expect((await queryEvents(core, { entity_id: gone, stream, where: 'true' })).events).toEqual([]);
  for (const { event_id } of all.filter(({ entity_id }) => entity_id === gone)) {
    expectProblem(await core.get(`/api/v1/events/${event_id}`), 'event_not_found');
  }
  const total = async (...more: Parameters<typeof path>[1][]) => {
    const answer = await core.get(path('/api/v1/events/count', { stream }, ...more));
    return answer.json<{ total: number }>().total;
  };
  expect(await total()).toBe(left.length);
  expect(await total({ entity_id: gone })).toBe(0);
  expect(await total({ group_by: 'event_type' })).toBe(left.length);
  expect((await core.get(`/api/v1/streams/${stream}`)).json()).toMatchObject({ events: left.length });
  const entities = await core.get(path('/api/v1/entities', { stream }));
  expect(entities.text).not.toContain(JSON.stringify(gone));
}

describe.each(['core', 'query'] as const)('an entity that is erased on the %s port', (port) => {
  it.each(['ann', 'c/ü 1'])('is not returned after the answer to the erasure: %s', async (entity) => {
    const stream = freshStream();
    const all = await givenEntities(stream);
    const answer = await erase(port, stream, entity);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json<Erased>()).toEqual({
      ...{ stream, entity_id: entity, events_erased: 10, pending: false },
      erased_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
    await expectErased(stream, entity, all);
    expect((await erase(port, stream, entity)).json()).toMatchObject({ events_erased: 0, pending: false });
  });

  it('starts again with later events: versions from 1', async () => {
    const stream = freshStream();
    await givenEntities(stream);
    expect((await erase(port, stream, 'ann')).status).toBe(200);
    const later = [];
    for (const n of [1, 2]) {
      later.push(await writeEvent(system().core, { stream, event_type: 't', entity_id: 'ann', data: { n } }));
    }
    const { events } = await queryEvents(system().core, { stream, entity_id: 'ann' }, waitFor(later));
    expect(events.map(({ version, data }) => [version, data.n])).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it('does not affect the entity of the same id in another stream', async () => {
    const [one, two] = [freshStream(), freshStream()];
    await givenEntities(one);
    const others = await givenEntities(two);
    expect((await erase(port, one, 'ann')).status).toBe(200);
    expect((await queryEvents(system().core, { stream: two, limit: '1000' })).events).toEqual(others);
  });

  it('requires the confirmation of its id, and must exist', async () => {
    const stream = freshStream();
    await givenEntities(stream);
    const unconfirmed = await system()[port].send('DELETE', path('/api/v1/entities/ann', { stream }));
    expect(expectProblem(unconfirmed, 'invalid_request').errors).toMatchObject([{ pointer: 'confirm' }]);
    expectProblem(await erase(port, stream, 'annn'), 'entity_not_found');
    expectProblem(await erase(port, freshStream(), 'ann'), 'stream_not_found');
    expect((await queryEvents(system().core, { stream, entity_id: 'ann' })).count).toBe(10);
  });

  it('is in the audit with its author and the number of events, but not with its id', async () => {
    const stream = freshStream();
    await givenEntities(stream, ['somebody-in-person']);
    expect((await erase(port, stream, 'somebody-in-person')).status).toBe(200);
    await expect
      .poll(async () => {
        const { events } = await queryEvents(system().core, {
          stream: 'tributary.audit',
          event_type: 'entity.erased',
          limit: '1000',
        });
        expect(JSON.stringify(events)).not.toContain('somebody');
        return events
          .filter(({ data }) => String(data.name).startsWith(stream))
          .map(({ data, metadata }) => [(data.after as Erased).events_erased, metadata.port]);
      })
      .toEqual([[10, port]]);
  });
});

describe('an erasure', () => {
  it('directly after the write removes the events that have just been written', async () => {
    const stream = freshStream();
    await givenEntities(stream);
    for (let round = 0; round < 5; round++) {
      await writeEvent(system().write, { stream, event_type: 't', entity_id: 'bob', data: { round } });
      const answer = await erase('core', stream, 'bob');
      expect(answer.json(), answer.text).toMatchObject({ pending: false });
      expect((await queryEvents(system().core, { stream, entity_id: 'bob' })).events).toEqual([]);
    }
  });

  it('remains in effect when the database is lost and rebuilt from the log', async () => {
    const stream = freshStream();
    const all = await givenEntities(stream);
    expect((await erase('core', stream, 'ann')).status).toBe(200);
    const later = await writeEvent(system().core, { stream, event_type: 't', entity_id: 'ann', data: {} });
    await queryEvents(system().core, { stream, limit: '1' }, waitFor([later]));
    const before = await queryEvents(system().core, { stream, limit: '1000' });
    expect(before.events).toHaveLength(21);
    const { materializer, gateway, database } = system();
    await materializer.stop();
    await gateway.stop();
    await sql(system(), `DROP DATABASE ${database} SYNC`);
    await forgetProgress(system());
    await Promise.all([materializer.launch().ready(), gateway.launch().ready()]);
    const last = before.events.map(({ partition, offset }) => ({ stream, partition, offset }));
    await expect
      .poll(
        async () => (await system().core.get(path('/api/v1/events/query', { stream }, waitFor(last)))).status,
      )
      .toBe(200);
    const after = await queryEvents(system().core, { stream, limit: '1000' });
    expect(after.events).toEqual(before.events);
    expect(after.events.filter(({ entity_id }) => entity_id === 'ann').map((e) => e.version)).toEqual([1]);
    expect(all).toHaveLength(30);
  });
});
