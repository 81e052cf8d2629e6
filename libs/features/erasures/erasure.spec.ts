import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditStream } from '#api';
import { decodeRecord, entityHash } from '#event';
import { erasureName, systemActor } from '#registry';
import { rowBatchesOf } from '../../core/store/row-batch/row-batches-of.fixture.js';
import {
  eventRow,
  givenGateway,
  commitMaterialized,
  type GivenGateway,
} from '../../../apps/gateway/src/gateway.fixture.js';
import type { ErasureAnswer } from './erasure-answer.js';

let gateway: GivenGateway;

beforeEach(async () => {
  gateway = await givenGateway();
  await gateway.definitions.createStream({ stream: 'orders', partitions: 1 }, systemActor);
});
afterEach(() => gateway.close());

/** Writes six events of three entities to the log and to the store. */
async function givenEvents(): Promise<void> {
  const topic = gateway.topicOf('orders');
  const rows = Array.from({ length: 6 }, (_, offset) => eventRow({ offset }));
  gateway.log.broker.write(rows.map(({ entity_id }) => ({ topic, key: entity_id!, value: '{}' })));
  await gateway.store.writer.appendRowBatches(rowBatchesOf(rows), 'token');
  commitMaterialized(gateway, 'orders', { partition: 0, offset: 6 });
}

const erase = async (path: string) => {
  const answer = await gateway.core.instance.inject({ method: 'DELETE', url: `/api/v1/entities/${path}` });
  return { status: answer.statusCode, ...answer.json<ErasureAnswer & { code: string }>() };
};
const count = async (entity: string) => {
  const url = `/api/v1/events/count?stream=orders&entity_id=${entity}`;
  return (await gateway.core.instance.inject({ url })).json<{ total: number }>().total;
};
const tombstone = () => {
  const stream = gateway.definitions.stream('orders')!.id;
  const name = erasureName({ stream, entity_hash: entityHash('orders', 'order-1') });
  return gateway.definitions.erasures.get(name);
};

describe('DELETE /api/v1/entities/{entity_id}', () => {
  it('erases the events of the entity, returns their number, and keeps those of other entities', async () => {
    await givenEvents();
    const answer = await erase('order-1?stream=orders&confirm=order-1');
    expect(answer).toEqual({
      status: 200,
      stream: 'orders',
      entity_id: 'order-1',
      events_erased: 2,
      pending: false,
      erased_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
    expect([await count('order-0'), await count('order-1'), await count('order-2')]).toEqual([2, 0, 2]);
    const { id } = gateway.definitions.stream('orders')!;
    expect(tombstone()).toMatchObject({ stream: id, before: { 0: 6 } });
  });

  it('returns the number of erased events even if a materializer removes them first', async () => {
    await givenEvents();
    const { eraser } = gateway.store;
    const eraseEntity = eraser.eraseEntity.bind(eraser);
    eraser.eraseEntity = async (erasure) => {
      await eraseEntity(erasure);
      return eraseEntity(erasure);
    };
    const answer = await erase('order-1?stream=orders&confirm=order-1');
    expect(answer).toMatchObject({ status: 200, events_erased: 2, pending: false });
  });

  it('erases events written meanwhile whose versions continue the erased ones, and keeps those that start at 1', async () => {
    await givenEvents();
    const { eraser, writer } = gateway.store;
    const topic = gateway.topicOf('orders');
    const eraseEntity = eraser.eraseEntity.bind(eraser);
    const versions = [3, 1];
    eraser.eraseEntity = async (erasure) => {
      const offset = 8 - versions.length;
      const version = versions.shift();
      if (version !== undefined) {
        gateway.log.broker.write([{ topic, key: 'order-1', value: '{}' }]);
        await writer.appendRowBatches(
          rowBatchesOf([eventRow({ offset, entity_id: 'order-1', version })]),
          `${offset}`,
        );
        commitMaterialized(gateway, 'orders', { partition: 0, offset: offset + 1 });
      }
      return eraseEntity(erasure);
    };
    const answer = await erase('order-1?stream=orders&confirm=order-1');
    expect(answer).toMatchObject({ status: 200, pending: false, events_erased: 3 });
    expect([await count('order-1'), versions]).toEqual([1, []]);
    expect(tombstone()).toMatchObject({ before: { 0: 7 } });
  });

  it('can be repeated', async () => {
    await givenEvents();
    const first = await erase('order-1?stream=orders&confirm=order-1');
    const second = await erase('order-1?stream=orders&confirm=order-1');
    expect(second).toEqual({ ...first, events_erased: 0 });
  });

  it('requires the id of the entity as a confirmation', async () => {
    await givenEvents();
    for (const query of ['stream=orders', 'stream=orders&confirm=order-2', 'stream=orders&confirm=']) {
      const answer = await erase(`order-1?${query}`);
      expect(answer).toMatchObject({
        status: 400,
        code: 'invalid_request',
        errors: [{ pointer: 'confirm' }],
      });
    }
    expect(await count('order-1')).toBe(2);
    expect(tombstone()).toBeUndefined();
  });

  it.each([
    ['order-1?confirm=order-1', 400, 'invalid_request'],
    ['order-1?stream=oders&confirm=order-1', 404, 'stream_not_found'],
    ['order-9?stream=orders&confirm=order-9', 404, 'entity_not_found'],
    ['x?stream=tributary.audit&confirm=x', 403, 'stream_reserved'],
    [`${'x'.repeat(257)}?stream=orders&confirm=x`, 400, 'invalid_request'],
    ['a%00b?stream=orders&confirm=x', 400, 'invalid_request'],
  ])('refuses %s', async (path, status, code) => {
    await givenEvents();
    expect(await erase(path)).toMatchObject({ status, code });
    expect(gateway.definitions.erasures.size).toBe(0);
  });

  it('removes the version of an entity that remained after its events had expired', async () => {
    await givenEvents();
    await gateway.store.eraser.expire({
      stream: gateway.definitions.stream('orders')!.id,
      before: eventRow({ offset: 60 }).ingested_at,
    });
    const listed = async () =>
      (await gateway.core.instance.inject({ url: '/api/v1/entities?stream=orders' })).body;
    expect(await listed()).toContain('order-1');
    const answer = await erase('order-1?stream=orders&confirm=order-1');
    expect(answer).toMatchObject({ status: 200, events_erased: 0 });
    expect(await listed()).not.toContain('order-1');
  });

  it('removes the dead letters of an entity without events', async () => {
    await givenEvents();
    const letter = { source: 'materializer', stream: 'orders', partition: 0, offset: 3, created_at: 1 };
    const event = '{"entity_id":"order-7","data":{"secret":1}';
    await gateway.store.writer.appendDeadLetters([{ ...letter, reason: 'unreadable', error: 'no', event }]);
    const answer = await erase('order-7?stream=orders&confirm=order-7');
    expect(answer).toMatchObject({ status: 200, events_erased: 0 });
    expect((await gateway.core.instance.inject({ url: '/api/v1/dead-letters' })).body).not.toContain(
      'order-7',
    );
  });

  it("covers the records that a concurrent replay of the entity's dead letters writes", async () => {
    await givenEvents();
    const letter = { source: 'materializer', stream: 'orders', partition: 0, offset: 3, created_at: 1 };
    const event = '{"entity_id":"order-1"}';
    await gateway.store.writer.appendDeadLetters([{ ...letter, reason: 'unreadable', error: 'no', event }]);
    const { admin, broker } = gateway.log;
    const offsets = admin.offsets.bind(admin);
    const topic = gateway.topicOf('orders');
    admin.offsets = async (of) => {
      const seen = await offsets(of);
      if (of === topic && !tombstone()) broker.write([{ topic, key: 'order-1', value: '{}' }]);
      return seen;
    };
    await erase('order-1?stream=orders&confirm=order-1');
    const end = (await offsets(topic))[0]?.end;
    expect(end).toBeGreaterThan(6);
    expect(tombstone()).toMatchObject({ before: { 0: end } });
  });

  it('is pending when the materializer is behind, and erases the events that are stored', async () => {
    await givenEvents();
    const topic = gateway.topicOf('orders');
    gateway.log.broker.write([{ topic, key: 'order-1', value: '{}' }]);
    const answer = await erase('order-1?stream=orders&confirm=order-1');
    expect(answer).toMatchObject({ status: 202, pending: true, events_erased: 2 });
    expect(await count('order-1')).toBe(0);
    expect(tombstone()).toMatchObject({ before: { 0: 7 } });
  });

  it('is pending when the store has no event of the entity yet, because one may be on its way', async () => {
    const topic = gateway.topicOf('orders');
    gateway.log.broker.write([{ topic, key: 'order-1', value: '{}' }]);
    const answer = await erase('order-1?stream=orders&confirm=order-1');
    expect(answer).toMatchObject({ status: 202, pending: true, events_erased: 0 });
    expect(tombstone()).toMatchObject({ before: { 0: 1 } });
  });

  it('answers 404 for a stream whose topic is being deleted', async () => {
    await gateway.log.admin.remove(gateway.topicOf('orders'));
    const answer = await erase('order-1?stream=orders&confirm=order-1');
    expect(answer).toMatchObject({ status: 404, code: 'stream_not_found' });
  });

  it('is recorded in the audit with the number of events and without the entity id', async () => {
    await givenEvents();
    await erase('order-1?stream=orders&confirm=order-1');
    const records = gateway.log.topics.get(gateway.topicOf(auditStream))?.partitions[0]?.records ?? [];
    const entries = records.map(({ value }) => decodeRecord(String(value)));
    const erased = entries.find(({ event_type }) => event_type === 'entity.erased');
    expect(JSON.parse(erased?.data ?? '')).toMatchObject({
      after: { stream: 'orders', events_erased: 2, entity_hash: entityHash('orders', 'order-1') },
    });
    expect(JSON.parse(erased?.metadata ?? '')).toMatchObject({ port: 'core', key_id: null });
    for (const { value } of records) expect(String(value)).not.toContain('order-1');
  });
});
