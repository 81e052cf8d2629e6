import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeRecord, entityHash } from '#event';
import { parseTime } from '#json';
import { erasureName, systemActor } from '#registry';
import { type PipelineDefinition } from '#features/pipelines/definition';
import type { DeadLetter, PipelineFailureLocation } from '#store';
import { readReplay } from '#features/pipelines/computation';
import { eventRow, givenGateway, type GivenGateway } from '../../../apps/gateway/src/gateway.fixture.js';
import type { ReplayAnswer } from './dead-letter-answers.js';

let gateway: GivenGateway;
let name: string;
let count = 0;

const operators = [{ map: { data: { n: 'event.data.n + 0' } } }, { emit: { stream: 'out' } }];

beforeAll(async () => {
  gateway = await givenGateway();
  await gateway.definitions.createStream({ stream: 'orders', partitions: 1 }, systemActor);
});
afterAll(() => gateway.close());
beforeEach(async () => {
  name = `p${++count}`;
  await send('POST', '/api/v1/pipelines', { name, source: { streams: ['orders'] }, operators });
  await gateway.log.admin.create(replayTopic(), { partitions: 1 });
});

const send = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) => {
  const answer = await gateway.core.instance.inject({ method, url, ...(payload && { payload }) });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answer;
};
const definition = (): PipelineDefinition => gateway.definitions.pipelines.get(name)!;
const replayTopic = () => gateway.topics.pipelineReplayTopic(definition().run.id);
const recordsOf = (topic: string) =>
  gateway.log.topics.get(topic)!.partitions.flatMap(({ records }) => records);
const told = () => recordsOf(replayTopic()).map(({ value, offset }) => readReplay(value, offset + 1));

/** Returns a dead letter of this test's pipeline. */
const letter = (
  offset: number,
  { step, ...more }: Partial<Omit<DeadLetter, 'step'>> & { step?: Partial<PipelineFailureLocation> } = {},
): DeadLetter => ({
  ...{ source: `pipeline:${name}`, stream: 'orders', partition: 0, offset, reason: 'operator_failed' },
  ...{ error: '/operators/0/map/data/n: no', created_at: parseTime('2026-11-21T05:00:00Z')! + offset },
  event: encodeRecord({ ...eventRow({ offset }), entity_id: 'order-17' }),
  step: {
    ...{ run: definition().run.id, operator: '/operators/0/map', stream: 'orders', path: '', replay: 0 },
    ...step,
  },
  ...more,
});
const given = (...letters: DeadLetter[]) => gateway.store.writer.appendDeadLetters(letters);
const replay = async (payload: object = { source: `pipeline:${name}` }, query = '') =>
  (await send('POST', `/api/v1/dead-letters/replay${query}`, payload)).json<ReplayAnswer>();
const listed = async (replayed?: boolean) => {
  const filter = replayed === undefined ? '' : `&replayed=${replayed}`;
  const answer = await send('GET', `/api/v1/dead-letters?source=pipeline:${name}${filter}`);
  return answer.json<{ dead_letters: { id: string; operator: string | null }[] }>().dead_letters;
};

describe('the replay of dead letters of a pipeline', () => {
  it('sends each to its job, with its operator and its provenance, and marks it as replayed', async () => {
    await given(letter(1), letter(1, { step: { path: '0/1', operator: '/operators/1/emit' } }));
    expect((await listed()).map(({ operator }) => operator).sort()).toEqual([
      '/operators/0/map',
      '/operators/1/emit',
    ]);
    const answer = await replay();
    expect(answer).toMatchObject({ matched: 2, replayed: 2, skipped: 0, failed: [], events: [] });
    const found = told();
    expect(found.map((one) => [one?.at, one?.origin.path]).sort()).toEqual([
      ['/operators/0/map', ''],
      ['/operators/1/emit', '0/1'],
    ]);
    expect(found[0]).toMatchObject({
      version: 1,
      event: letter(1).event,
      origin: { stream: 'orders', partition: 0, offset: 1 },
    });
    expect(new Set(found.map((one) => one?.id)).size).toBe(2);
    expect(await listed(false)).toEqual([]);
    expect(await replay()).toMatchObject({ matched: 0, replayed: 0 });
  });

  it('with dry_run returns what it would do, and changes nothing', async () => {
    await given(letter(1), letter(2, { reason: 'late_event' }));
    const answer = await replay({ source: `pipeline:${name}` }, '?dry_run=true');
    expect(answer).toMatchObject({ dry_run: true, matched: 2, replayed: 1, failed: [{}] });
    expect(told()).toEqual([]);
    expect(await listed(false)).toHaveLength(2);
  });

  it('works in one request together with other dead letters', async () => {
    const { source: mine } = letter(1);
    const { step: _, ...others } = letter(3, { source: 'materializer' });
    await given(letter(1), others);
    const all = await send('GET', '/api/v1/dead-letters?replayed=false');
    const { dead_letters } = all.json<{ dead_letters: { id: string; source: string }[] }>();
    const ids = dead_letters
      .filter(({ source }) => [mine, 'materializer'].includes(source))
      .map(({ id }) => id);
    expect(await replay({ ids })).toMatchObject({ matched: 2, replayed: 2, events: [{ stream: 'orders' }] });
    expect(told()).toHaveLength(1);
  });

  it('uses the same id for the same dead letter, so that the job detects a repeated replay', async () => {
    await given(letter(1));
    const [{ id } = { id: '' }] = await listed();
    const { writer } = gateway.store;
    const markReplayed = writer.markReplayed.bind(writer);
    writer.markReplayed = () => Promise.resolve();
    await replay({ ids: [id] });
    writer.markReplayed = markReplayed;
    await replay({ ids: [id] });
    const [first, second] = told();
    expect(second?.id).toBe(first?.id);
  });

  it.each<[string, Parameters<typeof letter>[1]]>([
    ['it arrived too late (its window has closed)', { reason: 'late_event' }],
    ['it is not an event', { reason: 'unreadable', event: 'hello' }],
    ['it cannot be read', { event: 'hello' }],
    ['has been reset since', { step: { run: 'a'.repeat(24) } }],
    ['has no operator at /operators/0/filter any more', { step: { operator: '/operators/0/filter' } }],
    ['there is no stream gone any more', { stream: 'gone', step: { stream: 'gone' } }],
  ])('gives the reason why one is not replayed: %s', async (detail, more) => {
    await given(letter(1, more));
    const answer = await replay();
    expect(answer).toMatchObject({ matched: 1, replayed: 0 });
    expect(answer.failed[0]?.detail).toContain(detail);
    expect(told()).toEqual([]);
    expect(await listed(false)).toHaveLength(1);
  });

  it('fails for a dead letter that does not name the operator that failed', async () => {
    const { step: _, ...bare } = letter(1);
    await given(bare);
    expect((await replay()).failed[0]?.detail).toContain('does not name the operator that failed');
  });

  it('uses the operators of the current definition', async () => {
    await given(letter(1));
    const moved = { source: { streams: ['orders'] }, operators: [{ filter: 'true' }, ...operators] };
    await send('PUT', `/api/v1/pipelines/${name}`, moved);
    expect((await replay()).failed[0]?.detail).toContain('has no operator at /operators/0/map any more');
    await send('PUT', `/api/v1/pipelines/${name}`, { ...moved, operators });
    expect(await replay()).toMatchObject({ replayed: 1, failed: [] });
  });

  it('fails for a pipeline that has failed, and for one that was deleted', async () => {
    await given(letter(1));
    const { pipelines } = gateway.definitions;
    await pipelines.change(
      name,
      (current) => current && { ...current, failure: 'It has lost its place.' },
      systemActor,
    );
    expect((await replay()).failed[0]?.detail).toContain('has failed: It has lost its place.');
    await send('DELETE', `/api/v1/pipelines/${name}`);
    expect((await replay()).failed[0]?.detail).toContain('there is no pipeline');
  });

  it('needs a key that covers all streams which the pipeline reads and writes', async () => {
    await given(letter(1));
    const keyFor = async (streams: string[]) => {
      const answer = await send('POST', '/api/v1/keys', { name: 'k', scopes: ['admin'], streams });
      return { authorization: `Bearer ${answer.json<{ key: string }>().key}` };
    };
    const replayWith = async (headers: { authorization: string }) => {
      const { instance } = gateway.query;
      const payload = { source: `pipeline:${name}` };
      const answer = await instance.inject({
        method: 'POST',
        url: '/api/v1/dead-letters/replay',
        headers,
        payload,
      });
      return answer.json<ReplayAnswer>();
    };
    const refused = await replayWith(await keyFor(['orders']));
    expect(refused).toMatchObject({ matched: 1, replayed: 0 });
    expect(refused.failed[0]?.detail).toBe(`there is no pipeline ${name} any more`);
    expect(told()).toEqual([]);
    expect(await replayWith(await keyFor(['orders', 'out']))).toMatchObject({ matched: 1, replayed: 1 });
  });

  it('fails when no processor has run the pipeline', async () => {
    await given(letter(1));
    await gateway.log.admin.remove(replayTopic());
    expect(await replay()).toMatchObject({
      replayed: 0,
      failed: [{ detail: expect.stringContaining('no processor') as string }],
    });
    expect(await listed(false)).toHaveLength(1);
  });

  it('does not restore erased events', async () => {
    await given(letter(1), letter(9));
    const entity_hash = entityHash('orders', 'order-17');
    const erasure = {
      ...{ stream: gateway.definitions.stream('orders')!.id, entity_hash, before: { 0: 5 } },
      erased_at: '2026-11-21T06:00:00Z',
    };
    await gateway.definitions.erasures.change(erasureName(erasure), () => erasure, systemActor);
    const answer = await replay();
    expect(answer).toMatchObject({
      matched: 2,
      replayed: 1,
      failed: [{ detail: 'its entity has been erased' }],
    });
    expect(told()).toMatchObject([{ origin: { offset: 9 } }]);
  });
});
