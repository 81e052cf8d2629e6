import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { entityHash } from '#event';
import { rowBatchesOf } from '../../row-batch/row-batches-of.fixture.js';
import { eventRow, deadLetterOf, rowsOf, second, t0 } from '../../contract/rows.js';
import { StoreUnavailableError } from '../../errors.js';
import { openClickHouse } from '../open.js';
import { openTestStore, type TestStore } from '../test-store.js';

const tables = ['events', 'events_by_entity', 'entities', 'dead_letters'];

const later = t0 + 1_000_000 * second;

describe('removed rows', () => {
  let test: TestStore;
  beforeAll(async () => {
    test = await openTestStore();
  });
  afterAll(() => test.close());

  const select = async <T>(sql: string): Promise<T[]> => {
    const result = await test.engine.query({ query: sql, format: 'JSON' });
    return (await result.json<T>()).data;
  };
  const command = (query: string) => test.engine.command({ query });
  /**
   * Returns, for a ClickHouse table: the number of rows on disk, including removed ones; of parts with removed rows;
   * and of inactive parts that wait to be deleted.
   */
  const onDisk = async (table: string) =>
    (
      await select<{ rows: number; masked: number; old: number }>(`
        SELECT toUInt32(sum(rows)) AS rows, toUInt32(sum(has_lightweight_delete)) AS masked,
          toUInt32(countIf(NOT active)) AS old
        FROM system.parts WHERE database = currentDatabase() AND table = '${table}'`)
    )[0];

  it('disappear from every part after a purge, and from the disk a minute later', async () => {
    const [stream, entityId] = [`s-${randomUUID()}`, `ann-${randomUUID()}@example.org`];
    // Shortens ClickHouse's clean-up delays, which are a minute by default.
    const quick = 'cleanup_delay_period = 1, max_cleanup_delay_period = 1, old_parts_lifetime = 1';
    for (const table of tables) await command(`ALTER TABLE ${table} MODIFY SETTING ${quick}`);
    const rows = rowsOf(stream, 10, (i) => ({
      entity_id: i % 2 ? entityId : 'other',
      version: (i >> 1) + 1,
    }));
    await test.store.writer.appendRowBatches(rowBatchesOf(rows), stream);
    const event = JSON.stringify({ entity_id: entityId });
    await test.store.writer.appendDeadLetters(
      [3, 4].map((offset) => deadLetterOf({ stream, offset, event })),
    );
    await test.store.eraser.eraseEntity({
      stream,
      entityHash: entityHash(stream, entityId),
      entityId,
      before: { 0: 4 },
    });
    const commands = await select(`
      SELECT command FROM system.mutations
      WHERE database = currentDatabase() AND position(command, '${entityId}') > 0`);
    expect(commands).toEqual([]);
    expect(await onDisk('events')).toMatchObject({ masked: 1 });
    await test.store.eraser.purge();
    await test.store.eraser.purge();
    await expect.poll(() => onDisk('events')).toEqual({ rows: 8, masked: 0, old: 0 });
    await expect.poll(() => onDisk('events_by_entity')).toEqual({ rows: 8, masked: 0, old: 0 });
    await expect.poll(() => onDisk('dead_letters')).toEqual({ rows: 1, masked: 0, old: 0 });
    await expect.poll(() => onDisk('entities')).toMatchObject({ masked: 0, old: 0 });
    expect((await test.store.reader.count({ access: allStreams, streams: [stream], limit: 1 })).total).toBe(
      8,
    );
  });

  it('do not prevent reading in order: a page reads only its own rows', async () => {
    const stream = `s-${randomUUID()}`;
    await test.store.writer.appendRowBatches(rowBatchesOf(rowsOf(stream, 50_000)), stream);
    await test.store.eraser.truncate({ stream, partition: 0, before: 25_000 });
    const plan = await select<{ explain: string }>(`
      EXPLAIN PIPELINE SELECT * FROM events WHERE stream = '${stream}'
      ORDER BY timestamp, partition, offset LIMIT 100 SETTINGS optimize_read_in_order = 1`);
    expect(plan.map(({ explain }) => explain).join('\n')).not.toContain('MergeSortingTransform');
    const page = await test.store.reader.query({
      access: allStreams,
      streams: [stream],
      order: 'asc',
      limit: 3,
    });
    expect(page.items.map(({ offset }) => offset)).toEqual([25_000, 25_001, 25_002]);
  });

  it('remain when a removal times out as unavailable, and a repeat removes them', async () => {
    const stream = `s-${randomUUID()}`;
    await test.store.writer.appendRowBatches(rowBatchesOf(rowsOf(stream, 10)), stream);
    const hasty = openClickHouse({ ...test.options, insertTimeoutMs: 1_000 });
    const truncated = { stream, partition: 0, before: 5, ingestedBefore: later };
    await command('SYSTEM STOP MERGES events');
    await expect(hasty.eraser.truncate(truncated)).rejects.toBeInstanceOf(StoreUnavailableError);
    await command('SYSTEM START MERGES events');
    await test.store.eraser.truncate(truncated);
    const { total } = await test.store.reader.count({ access: allStreams, streams: [stream], limit: 1 });
    expect(total).toBe(5);
    await hasty.close();
  });

  it('remain while too many mutations are unfinished: the removal is rejected until ClickHouse catches up', async () => {
    const stream = `s-${randomUUID()}`;
    await test.store.writer.appendRowBatches(rowBatchesOf(rowsOf(stream, 10)), stream);
    await command('SYSTEM STOP MERGES events');
    for (let i = 0; i < 20; i++) {
      await command(`ALTER TABLE events DELETE WHERE stream = 'x${i}' SETTINGS mutations_sync = 0`);
    }
    const truncated = { stream, partition: 0, before: 5, ingestedBefore: later };
    const refused = test.store.eraser.truncate(truncated);
    await expect(refused).rejects.toThrow('has not finished 20 earlier removals');
    await expect(refused).rejects.toBeInstanceOf(StoreUnavailableError);
    await command('SYSTEM START MERGES events');
    const again = () => test.store.eraser.truncate(truncated).catch(() => undefined);
    await expect.poll(again, { interval: 500 }).toBe(5);
  });

  it('are the same when two processes remove them concurrently', async () => {
    const stream = `s-${randomUUID()}`;
    const rows = Array.from({ length: 20 }, (_, offset) =>
      eventRow({ stream, offset, entity_id: 'e', version: offset + 1 }),
    );
    await test.store.writer.appendRowBatches(rowBatchesOf(rows), stream);
    const second = openClickHouse(test.options);
    const erasure = { stream, entityHash: entityHash(stream, 'e'), entityId: 'e', before: { 0: 10 } };
    await Promise.all([test.store.eraser.eraseEntity(erasure), second.eraser.eraseEntity(erasure)]);
    const scope = { access: allStreams, streams: [stream], limit: 1 };
    expect((await second.reader.count(scope)).total).toBe(10);
    expect((await second.reader.entities({ ...scope, stream })).items).toMatchObject([{ version: 20 }]);
    await second.close();
  });
});
