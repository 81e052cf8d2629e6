import { describe, expect, it } from 'vitest';
import {
  expectProblem,
  freshStream,
  path,
  waitFor,
  type BatchAnswer,
  type SingleWriteAnswer,
} from './api.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();

interface State {
  stream: string;
  entity_id: string;
  version: number;
  timestamp: string;
  state: Record<string, unknown>;
  from_snapshot: number | null;
}

interface Snapshot extends Omit<State, 'from_snapshot'> {
  snapshot_id: string;
  created_at: string;
  reason: string;
}

interface SnapshotPage {
  snapshots: Snapshot[];
  total: number;
  has_more: boolean;
  next_cursor: string | null;
}

/**
 * Writes one event of an entity for each number `n`: the timestamp is `n` seconds after a fixed time, and `data` has `n` and a member
 * `k<n>` that no other event has.
 */
async function givenEvents(
  stream: string,
  entity_id: string,
  numbers: readonly number[],
): Promise<SingleWriteAnswer[]> {
  const events = numbers.map((n) => ({
    ...{ stream, entity_id, event_type: 't', data: { n, [`k${n}`]: n } },
    timestamp: new Date(Date.UTC(2026, 10, 21) + n * 1000).toISOString(),
  }));
  const answer = await system().core.post('/api/v1/events/batch', { events });
  expect(answer.status, answer.text).toBe(201);
  return answer.json<BatchAnswer>().events.map((one): SingleWriteAnswer => ({ ...one, stream }));
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const statePath = (stream: string, entity: string, ...more: Parameters<typeof path>[1][]) =>
  path(`/api/v1/entities/${encodeURIComponent(entity)}/state`, { stream }, ...more);
const snapshotsOf = async (stream: string) =>
  (await system().query.get(path('/api/v1/snapshots', { stream }))).json<SnapshotPage>();
const make = (stream: string, entity_id: string) =>
  system().core.post('/api/v1/snapshots', { stream, entity_id });

describe('the state of an entity', () => {
  it('is the fold of its events, now and as of any time, before and after snapshots', async () => {
    const [stream, entity] = [freshStream(), 'a/ü 1'];
    // The processor makes no snapshot by itself, however long the first read takes.
    const created = await system().core.post('/api/v1/streams', { stream, snapshot_every: 1000 });
    expect(created.status, created.text).toBe(201);
    const written = await givenEvents(stream, entity, upTo(250));
    await givenEvents(stream, 'other', [7]);
    const { query } = system();
    const now = await query.get(statePath(stream, entity, waitFor(written)));
    expect(now.status, now.text).toBe(200);
    const state = now.json<State>();
    expect(state).toMatchObject({ stream, entity_id: entity, version: 250, from_snapshot: null });
    expect(Object.keys(state.state)).toHaveLength(251);
    const asOf = (n: number) => ({ as_of: new Date(Date.UTC(2026, 10, 21) + n * 1000).toISOString() });
    const states = async () =>
      Promise.all(
        [0, 99, 100, 249].map(async (n) => {
          const { from_snapshot: _, ...rest } = (
            await query.get(statePath(stream, entity, asOf(n)))
          ).json<State>();
          expect([rest.version, rest.state.n]).toEqual([n + 1, n]);
          return rest;
        }),
      );
    const before = await states();
    const made = await make(stream, entity);
    expect(made.status, made.text).toBe(201);
    const later = await givenEvents(stream, entity, [250, 251]);
    const after = (await query.get(statePath(stream, entity, waitFor(later)))).json<State>();
    expect(after).toMatchObject({ version: 252, from_snapshot: 250, state: { n: 251, k0: 0 } });
    expect(await states()).toEqual(before);
    expectProblem(await query.get(statePath(stream, entity, asOf(-1))), 'entity_not_found');
    expectProblem(await query.get(statePath(stream, 'nobody')), 'entity_not_found');
  });

  it('is 404 after the erasure of the entity and its snapshots, and starts again with later events', async () => {
    const stream = freshStream();
    const written = await givenEvents(stream, 'ann', upTo(3));
    const { query, core } = system();
    await query.get(statePath(stream, 'ann', waitFor(written)));
    expect((await make(stream, 'ann')).status).toBe(201);
    expect((await snapshotsOf(stream)).total).toBe(1);
    const erased = await core.send('DELETE', path('/api/v1/entities/ann', { stream, confirm: 'ann' }));
    expect(erased.status, erased.text).toBe(200);
    expectProblem(await query.get(statePath(stream, 'ann')), 'entity_not_found');
    expectProblem(await make(stream, 'ann'), 'entity_not_found');
    expect(await snapshotsOf(stream)).toMatchObject({ snapshots: [], total: 0 });
    const anew = await givenEvents(stream, 'ann', [9]);
    const state = (await query.get(statePath(stream, 'ann', waitFor(anew)))).json<State>();
    expect(state).toMatchObject({ version: 1, state: { n: 9, k9: 9 }, from_snapshot: null });
  });
});

describe('snapshots', () => {
  it('are created once for each version, even by concurrent requests', async () => {
    const stream = freshStream();
    const written = await givenEvents(stream, 'e', upTo(5));
    await system().query.get(statePath(stream, 'e', waitFor(written)));
    const answers = await Promise.all(upTo(4).map(() => make(stream, 'e')));
    const ids = answers.map((answer) => answer.json<Snapshot>().snapshot_id);
    expect(new Set(ids).size).toBe(1);
    expect((await make(stream, 'e')).status).toBe(200);
    expect(await snapshotsOf(stream)).toMatchObject({
      snapshots: [{ snapshot_id: ids[0], version: 5, reason: 'requested', state: { n: 4 } }],
      ...{ total: 1, has_more: false, next_cursor: null },
    });
  });

  it('are created automatically every `snapshot_every` versions', async () => {
    const [often, never] = [freshStream(), freshStream()];
    const { core, query } = system();
    for (const [stream, snapshot_every] of [
      [often, 20],
      [never, 0],
    ] as const) {
      const created = await core.post('/api/v1/streams', { stream, snapshot_every });
      expect(created.json()).toMatchObject({ stream, snapshot_every });
      await givenEvents(stream, 'e', upTo(50));
    }
    await expect.poll(async () => (await snapshotsOf(often)).snapshots.length).toBe(1);
    expect((await snapshotsOf(often)).snapshots).toMatchObject([
      { version: 40, reason: 'automatic', state: { n: 39, k0: 0 } },
    ]);
    const state = (await query.get(statePath(often, 'e'))).json<State>();
    expect(state).toMatchObject({ version: 50, from_snapshot: 40, state: { n: 49, k0: 0 } });
    await givenEvents(often, 'e', [50, 51, 52, 53, 54, 55, 56, 57, 58, 59]);
    await expect.poll(async () => (await snapshotsOf(often)).snapshots[0]?.version).toBe(60);
    expect((await snapshotsOf(never)).total).toBe(0);
  });

  it('are deleted with their stream', async () => {
    const stream = freshStream();
    const written = await givenEvents(stream, 'e', upTo(2));
    await system().query.get(statePath(stream, 'e', waitFor(written)));
    await make(stream, 'e');
    const { core } = system();
    await core.send('DELETE', path(`/api/v1/streams/${stream}`, { confirm: stream }));
    await expect
      .poll(async () => (await core.post('/api/v1/streams', { stream })).status, { timeout: 60_000 })
      .toBe(201);
    expect(await snapshotsOf(stream)).toMatchObject({ snapshots: [], total: 0 });
    expectProblem(await core.get(statePath(stream, 'e')), 'entity_not_found');
  });
});
