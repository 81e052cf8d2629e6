import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PRODUCER } from '#app';
import { allStreams, auditStream } from '#api';
import { decodeRecord, encodeRecord, encodeRejectedEvent, entityHash } from '#event';
import { parseTime } from '#json';
import { erasureName, schemaName, systemActor, type SchemaSubject } from '#registry';
import { LogUnavailableError, type Producer } from '#kafka';
import type { DeadLetter } from '#store';
import { rowBatchesOf } from '../../core/store/row-batch/row-batches-of.fixture.js';
import { eventRow, givenGateway, type GivenGateway } from '../../../apps/gateway/src/gateway.fixture.js';
import type { ReplayAnswer } from './dead-letter-answers.js';

let gateway: GivenGateway;

beforeEach(async () => {
  gateway = await givenGateway();
  await gateway.definitions.createStream({ stream: 'orders', partitions: 1 }, systemActor);
});
afterEach(() => gateway.close());

const letter = (offset: number, more: Partial<DeadLetter> = {}): DeadLetter => ({
  ...{
    source: 'materializer',
    stream: 'orders',
    partition: 0,
    offset,
    reason: 'refused_by_store',
    error: 'no',
  },
  event: encodeRecord({ ...eventRow({ offset }), entity_id: 'order-17' }),
  created_at: parseTime('2026-11-21T05:00:00Z')! + offset,
  ...more,
});
const given = (...letters: DeadLetter[]) => gateway.store.writer.appendDeadLetters(letters);
const send = async (payload: object, query = '') => {
  const url = `/api/v1/dead-letters/replay${query}`;
  const answer = await gateway.core.instance.inject({ method: 'POST', url, payload });
  return { status: answer.statusCode, ...answer.json<ReplayAnswer & { code: string }>() };
};
const written = (stream = 'orders') =>
  (gateway.log.topics.get(gateway.topicOf(stream))?.partitions ?? [])
    .flatMap(({ records }) => records)
    .map(({ value }) => decodeRecord(String(value)));
const listed = async () => {
  const answer = await gateway.core.instance.inject({ url: '/api/v1/dead-letters' });
  return answer.json<{ dead_letters: { id: string; offset: number; replayed_at: string | null }[] }>()
    .dead_letters;
};

/** Writes the tombstone of `order-17` in `orders`, and nothing else. */
async function erase(before: Record<string, number>): Promise<void> {
  const entity_hash = entityHash('orders', 'order-17');
  const erasure = {
    stream: gateway.definitions.stream('orders')!.id,
    entity_hash,
    before,
    erased_at: '2026-11-21T06:00:00Z',
  };
  await gateway.definitions.erasures.change(erasureName(erasure), () => erasure, systemActor);
}

describe('the replay of dead letters', () => {
  it('writes them to their streams under new ids, and returns their positions', async () => {
    await given(letter(1), letter(2));
    const answer = await send({ source: 'materializer' });
    expect(answer).toMatchObject({ status: 200, matched: 2, replayed: 2, skipped: 0, failed: [] });
    const events = written();
    expect(events).toHaveLength(2);
    expect(events.map(({ event_id }) => event_id).sort()).toEqual(
      answer.events.map(({ event_id }) => event_id).sort(),
    );
    const original = eventRow({ offset: 1 });
    const again = events.find(({ data }) => data === original.data)!;
    expect(again).toMatchObject({
      entity_id: 'order-17',
      timestamp: original.timestamp,
      event_type: original.event_type,
      metadata: original.metadata,
    });
    expect(again.event_id).not.toBe(original.event_id);
    expect(again.ingested_at).toBeGreaterThan(original.ingested_at);
    expect((await listed()).every(({ replayed_at }) => replayed_at !== null)).toBe(true);
  });

  it('replays dead letters by id, and reports unknown ids', async () => {
    await given(letter(1), letter(2));
    const [{ id } = { id: '' }] = await listed();
    const answer = await send({ ids: [id, id, 'nonsense'] });
    expect(answer).toMatchObject({ matched: 1, replayed: 1, failed: [{ id: 'nonsense' }] });
    expect((await listed()).filter(({ replayed_at }) => replayed_at !== null)).toHaveLength(1);
  });

  it('finds dead letters by id that are too large for one page', async () => {
    const event = `"${'x'.repeat(3 * 1024 * 1024)}"`;
    await given(...[1, 2, 3, 4].map((offset) => letter(offset, { event })));
    const { items } = await gateway.store.reader.deadLetters({ access: allStreams, limit: 10 });
    const ids = items.map(({ id }) => id);
    const answer = await send({ ids: [...ids, 'nonsense'] }, '?dry_run=true');
    expect(answer.matched).toBe(4);
    expect(answer.failed.filter(({ id }) => id === 'nonsense')).toHaveLength(1);
    expect(
      answer.failed.filter(({ detail }) => detail === 'there is no dead letter with this id'),
    ).toHaveLength(1);
    expect((await listed()).map(({ offset }) => offset)).toEqual([4, 3]);
  });

  it('with dry_run returns what it would do, and changes nothing', async () => {
    await given(letter(1), letter(2, { event: 'hello' }));
    const answer = await send({ source: 'materializer' }, '?dry_run=true');
    expect(answer).toMatchObject({ dry_run: true, matched: 2, replayed: 1, events: [] });
    expect(answer.failed).toHaveLength(1);
    expect(written()).toEqual([]);
    expect((await listed()).every(({ replayed_at }) => replayed_at === null)).toBe(true);
  });

  it('skips dead letters that have been replayed', async () => {
    await given(letter(1));
    await send({ source: 'materializer' });
    expect(await send({ source: 'materializer' })).toMatchObject({ matched: 0, replayed: 0 });
    const ids = (await listed()).map(({ id }) => id);
    expect(await send({ ids })).toMatchObject({ matched: 1, replayed: 0, skipped: 1 });
    expect(written()).toHaveLength(1);
  });

  it('after a crash between writing and marking, finds the event in the store and only marks the dead letter', async () => {
    await given(letter(1));
    const { writer } = gateway.store;
    const markReplayed = writer.markReplayed.bind(writer);
    writer.markReplayed = () => Promise.reject(new Error('crash'));
    expect((await send({ source: 'materializer' })).status).toBe(500);
    writer.markReplayed = markReplayed;
    const [event] = written();
    await writer.appendRowBatches(rowBatchesOf([{ ...eventRow({ offset: 0 }), ...event! }]), 'token');
    expect(await send({ source: 'materializer' })).toMatchObject({ matched: 1, replayed: 0, skipped: 1 });
    expect(written()).toHaveLength(1);
    expect((await listed())[0]?.replayed_at).not.toBeNull();
  });

  it('uses the same id for the same dead letter, so that two concurrent replays yield one event', async () => {
    await given(letter(1));
    const answers = await Promise.all([send({ source: 'materializer' }), send({ source: 'materializer' })]);
    const ids = answers.flatMap(({ events }) => events.map(({ event_id }) => event_id));
    expect(new Set(ids).size).toBe(1);
  });

  it.each<[string, Partial<DeadLetter>]>([
    ['still cannot be read', { event: 'hello' }],
    ['still cannot be read', { event: 'base64:/w==' }],
    ['there is no stream gone', { stream: 'gone' }],
    ['are not replayed into the stream', { source: 'projection:totals' }],
  ])('gives the reason why one is not replayed: %s', async (detail, more) => {
    await given(letter(1, more));
    const answer = await send({ source: more.source ?? 'materializer' });
    expect(answer).toMatchObject({ matched: 1, replayed: 0 });
    expect(answer.failed[0]?.detail).toContain(detail);
    expect(written()).toEqual([]);
  });

  it('does not restore erased events', async () => {
    await given(letter(1), letter(9));
    await erase({ 0: 5 });
    const answer = await send({ source: 'materializer' });
    expect(answer).toMatchObject({ matched: 2, replayed: 1 });
    expect(answer.failed[0]?.detail).toContain('erased');
  });

  it('does not write an event that is erased while it reads which events are stored', async () => {
    await given(letter(1));
    gateway.store.reader.byId = () => erase({ 0: 5 }).then(() => undefined);
    const answer = await send({ source: 'materializer' });
    expect(answer).toMatchObject({ matched: 1, replayed: 0, events: [] });
    expect(answer.failed[0]?.detail).toContain('erased');
    expect(written()).toEqual([]);
  });

  it('undoes its writes for an entity that was erased meanwhile', async () => {
    await given(letter(0), letter(1, { event: encodeRecord(eventRow({ offset: 1 })) }));
    const topic = gateway.topicOf('orders');
    gateway.log.broker.write([{ topic, key: 'k', value: encodeRecord(eventRow({ offset: 0 })) }]);
    const { definitions } = gateway;
    const start = definitions.start.bind(definitions);
    definitions.start = async () => {
      // The erasure read the end of the log before the replay wrote to it.
      await erase({ 0: 1 });
      await gateway.store.writer.appendRowBatches(
        rowBatchesOf(written().map((event, offset) => ({ ...eventRow({ offset }), ...event }))),
        'x',
      );
      await start();
    };
    const answer = await send({ source: 'materializer' });
    expect(answer).toMatchObject({ matched: 2, replayed: 1, events: [{ stream: 'orders' }] });
    expect(answer.failed).toEqual([
      { id: expect.any(String) as string, detail: 'its entity has been erased' },
    ]);
    const stream = definitions.stream('orders')!.id;
    const name = erasureName({ stream, entity_hash: entityHash('orders', 'order-17') });
    const place = written().findIndex(({ entity_id }) => entity_id === 'order-17');
    expect(definitions.erasures.get(name)?.before).toEqual({ 0: place + 1 });
    const { body } = await gateway.core.instance.inject({ url: '/api/v1/events/query?stream=orders' });
    expect(body).toContain('order-1"');
    expect(body).not.toContain('order-17');
  });

  it('continues after the limit of the previous request', async () => {
    await given(...Array.from({ length: 1100 }, (_, n) => letter(n, { event: 'hello' })));
    const first = await send({ source: 'materializer' });
    expect(first).toMatchObject({ matched: 1000, has_more: true });
    const second = await send({ source: 'materializer', cursor: first.next_cursor });
    expect(second).toMatchObject({ matched: 100, has_more: false, next_cursor: null });
    const seen = [...first.failed, ...second.failed].map(({ id }) => id);
    expect(new Set(seen).size).toBe(1100);
  });

  it('is recorded in the audit', async () => {
    await given(letter(1));
    await send({ source: 'materializer' });
    await send({ source: 'materializer' }, '?dry_run=true');
    const entries = written(auditStream).filter(({ event_type }) => event_type === 'dead_letters.replayed');
    expect(entries.map(({ data }) => JSON.parse(data) as object)).toEqual([
      expect.objectContaining({
        kind: 'dead_letters',
        name: 'materializer',
        after: { matched: 1, replayed: 1, skipped: 0, failed: 0 },
      }),
    ]);
  });

  it('is recorded in the audit as far as it came when the log fails', async () => {
    await given(...Array.from({ length: 12 }, (_, n) => letter(n)));
    const producer = gateway.nest.get<Producer>(PRODUCER, { strict: false });
    const append = producer.append.bind(producer);
    let calls = 0;
    producer.append = (records) =>
      ++calls === 1 ? append(records) : Promise.reject(new LogUnavailableError('gone'));
    expect((await send({ source: 'materializer' })).status).toBe(503);
    expect(written()).toHaveLength(8);
    const entries = written(auditStream).filter(({ event_type }) => event_type === 'dead_letters.replayed');
    expect(entries.map(({ data }) => JSON.parse(data) as object)).toMatchObject([{ after: { replayed: 8 } }]);
  });

  it.each([
    [{}, ''],
    [{ ids: ['a'], source: 'b' }, ''],
    [{ ids: ['a'], cursor: 'b' }, '/cursor'],
    [{ cursor: 'b' }, ''],
    [{ ids: [] }, '/ids'],
    [{ ids: [1] }, '/ids'],
    [{ source: '' }, '/source'],
    [{ all: true }, '/all'],
  ])('refuses the body %j', async (payload, pointer) => {
    expect(await send(payload)).toMatchObject({
      status: 400,
      code: 'invalid_request',
      errors: [{ pointer }],
    });
  });
});

describe('the replay of records that were refused at intake', () => {
  const event_id = '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11';
  const refused = (offset: number, more: object): DeadLetter =>
    letter(offset, {
      reason: 'refused_at_intake',
      event: encodeRejectedEvent({
        refused: { code: 'schema_violation', detail: 'no', errors: [] },
        ...{ form: 'raw', mapping: { event_type: '/kind', entity_id: '/of' }, entity_id: null, event_id },
        ...{ received_at: '2026-11-21T04:00:00.000000Z', text: '' },
        ...more,
      }),
    });
  const schema = (type: string): SchemaSubject => ({
    ...{ stream: 'orders', event_type: 'paid', compatibility: 'none', mode: 'enforce', retired: false },
    versions: [
      { version: 1, schema: { properties: { amount: { type } } }, created_at: '2026-11-21T04:00:00.000000Z' },
    ],
  });
  const register = (type: string) =>
    gateway.definitions.schemas.change(schemaName('orders', 'paid'), () => schema(type), systemActor);

  it('parses the text as its endpoint does, with the id and the time that the event would have had', async () => {
    await given(refused(1, { text: '{"kind":"paid","of":"order-17","amount":12345678901234567890}' }));
    expect(await send({ source: 'materializer' })).toMatchObject({ replayed: 1, events: [{ event_id }] });
    expect(written()).toMatchObject([
      { event_id, event_type: 'paid', entity_id: 'order-17', timestamp: parseTime('2026-11-21T04:00:00Z') },
    ]);
    expect(written()[0]!.data).toContain('12345678901234567890');
  });

  it('checks the current schema', async () => {
    await register('string');
    const text = '{"kind":"paid","amount":1}';
    await given(refused(1, { text }));
    const { failed } = await send({ source: 'materializer' });
    expect(failed).toMatchObject([
      { detail: expect.stringMatching(/^it is still rejected: .*amount/) as string },
    ]);
    await register('number');
    expect(await send({ source: 'materializer' })).toMatchObject({ replayed: 1 });
    expect(written()).toMatchObject([{ data: text, schema_version: 1 }]);
  });

  it('parses an event of a batch', async () => {
    const own = '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c12';
    const text = JSON.stringify({ stream: 'orders', event_type: 'paid', event_id: own, data: {} });
    await given(refused(1, { form: 'event', text }));
    expect(await send({ source: 'materializer' })).toMatchObject({
      replayed: 1,
      events: [{ event_id: own }],
    });
  });

  it.each<[string, object]>([
    ['is no JSON', { text: '{"kind":' }],
    ['is of two values', { text: '{"kind":"a"}{"kind":"b"}' }],
    ['has no type', { text: '{}' }],
    ['was cut', { text: 'x'.repeat(2_000_000) }],
    ['is no event', { form: 'event', text: '[1]' }],
  ])('reports that a text still cannot become an event: it %s', async (...row) => {
    await given(refused(1, row[1]));
    const { failed, replayed } = await send({ source: 'materializer' });
    expect([replayed, failed.length]).toEqual([0, 1]);
    expect(failed[0]?.detail).toMatch(/^it (is|was) /);
    expect(written()).toEqual([]);
  });

  it('does not replay an event of an erased entity, although the dead letter does not name the entity', async () => {
    await given(refused(1, { text: '{"kind":"paid","of":"order-17"}' }));
    await erase({ 0: 2 });
    expect((await send({ source: 'materializer' })).failed).toMatchObject([
      { detail: 'its entity has been erased' },
    ]);
  });
});
