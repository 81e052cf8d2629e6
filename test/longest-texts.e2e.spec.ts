import { describe, expect, it } from 'vitest';
import { limits } from '#event';
import { until } from '#testkit';
import { expectProblem, freshStream, path, queryEvents, waitFor, writeEvent } from './api.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();
const builtMs = 60_000;

/** Texts with different numbers of UTF-16 units, bytes, code points and visible signs. */
const alphabets: [string, string][] = [
  ['letters of two bytes', 'ü'],
  ['emoji', '😀'],
  ['letters with combining accents', 'e\u0301'],
  ['signs with variation selectors', '❤\ufe0f'],
];

const longest = (unit: string, characters: number) => unit.repeat(characters / [...unit].length);
const at = (entity: string, stream: string, ...rest: Parameters<typeof path>[1][]) =>
  path(`/api/v1/entities/${encodeURIComponent(entity)}/state`, { stream }, ...rest);

describe.each(alphabets)('the longest texts, of %s', (_, unit) => {
  const entity_id = longest(unit, limits.entityIdCharacters);
  const event_type = longest(unit, limits.eventTypeCharacters);
  const given = async () => {
    const stream = freshStream().padEnd(limits.streamCharacters, 'x');
    const event = { stream, event_type, entity_id, metadata: { [entity_id]: entity_id } };
    const written = [];
    for (const n of [1, 2])
      written.push(await writeEvent(system().core, { ...event, data: { n, [entity_id]: n } }));
    return { stream, event, written };
  };

  it('are written, read, folded, kept in a snapshot and erased', async () => {
    const { core } = system();
    const { stream, event, written } = await given();
    const filter = { stream, entity_id, event_type };
    const first = await queryEvents(core, { ...filter, limit: '1' }, waitFor(written));
    expect(first.events).toMatchObject([{ ...event, data: { n: 1 } }]);
    const second = await queryEvents(core, { ...filter, limit: '1', cursor: first.next_cursor! });
    expect(second.events).toMatchObject([{ ...event, data: { n: 2 } }]);
    expect((await core.get(path('/api/v1/events/count', filter))).json()).toMatchObject({ total: 2 });
    const state = await core.get(at(entity_id, stream));
    expect(state.json()).toMatchObject({ entity_id, version: 2, state: { n: 2 } });
    const made = await core.post('/api/v1/snapshots', { stream, entity_id });
    expect(made.status, made.text).toBe(201);
    const kept = await core.get(path('/api/v1/snapshots', { stream, entity_id }));
    expect(kept.json()).toMatchObject({ snapshots: [{ entity_id, version: 2 }] });
    const erased = await core.send(
      'DELETE',
      path(`/api/v1/entities/${encodeURIComponent(entity_id)}`, { stream, confirm: entity_id }),
    );
    expect([200, 202], erased.text).toContain(erased.status);
    expectProblem(await core.get(at(entity_id, stream)), 'entity_not_found');
    expect((await queryEvents(core, { stream, entity_id })).events).toEqual([]);
  });

  it('can be names of schemas, keys of projections and API keys', async () => {
    const { core } = system();
    const { stream, written } = await given();
    const schema = await core.post('/api/v1/schemas', { stream, event_type, schema: { type: 'object' } });
    expect(schema.status, schema.text).toBe(201);
    const shown = await core.get(`/api/v1/schemas/${stream}/${encodeURIComponent(event_type)}`);
    expect(shown.json()).toMatchObject({ event_type });
    const name = freshStream('p');
    const source = { streams: [stream], event_types: [event_type] };
    const made = await core.post('/api/v1/projections', { name, source, fields: { n: { op: 'count' } } });
    expect(made.status, made.text).toBe(201);
    const ofKey = path(
      `/api/v1/projections/${name}/state/${encodeURIComponent(entity_id)}`,
      waitFor(written),
    );
    await until(async () => (await core.get(ofKey)).status === 200, {
      what: 'the projection is built',
      patienceMs: builtMs,
    });
    expect((await core.get(ofKey)).json()).toMatchObject({ key: entity_id, state: { n: 2 } });
    const key = await core.post('/api/v1/keys', { name: longest(unit, 100), scopes: ['events:read'] });
    expect(key.status, key.text).toBe(201);
  });

  it('with one more character are refused by reads and writes', async () => {
    const { core } = system();
    const stream = freshStream();
    const more = `${entity_id}a`;
    const event = { stream, event_type: 't', data: {} };
    expectProblem(await core.post('/api/v1/events', { ...event, entity_id: more }), 'invalid_request');
    expectProblem(await core.post('/api/v1/events', { ...event, event_type: more }), 'invalid_request');
    await writeEvent(core, event);
    expectProblem(
      await core.get(path('/api/v1/events/query', { stream, entity_id: more })),
      'invalid_request',
    );
    expectProblem(
      await core.get(path('/api/v1/events/query', { stream, event_type: more })),
      'invalid_request',
    );
    expectProblem(await core.get(at(more, stream)), 'invalid_request');
    expectProblem(await core.post('/api/v1/snapshots', { stream, entity_id: more }), 'invalid_request');
    expectProblem(
      await core.send(
        'DELETE',
        path(`/api/v1/entities/${encodeURIComponent(more)}`, { stream, confirm: more }),
      ),
      'invalid_request',
    );
  });
});
