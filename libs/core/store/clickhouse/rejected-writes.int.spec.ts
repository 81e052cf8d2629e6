import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { entityHash } from '#event';
import { TcpProxy } from '#testkit';
import { rowBatchesOf } from '../row-batch/row-batches-of.fixture.js';
import { deadLetterOf, rowsOf } from '../contract/rows.js';
import { isRetryableStoreError } from '../errors.js';
import type { Store } from '../store.js';
import { openClickHouse } from './open.js';
import { openTestStore, type TestStore } from './test-store.js';

const everyTable = [
  'events',
  'events_by_entity',
  'entities',
  'positions',
  'removed_positions',
  'dead_letters',
  'dead_letter_replays',
];

/** Settings that make ClickHouse reject writes to a table, with the error code of the rejection. */
const troubles = [
  ['read-only', 'table_readonly = 1', 774],
  ['full of parts', 'parts_to_throw_insert = 1, parts_to_delay_insert = 1', 252],
  ['on a full disk', `min_free_disk_bytes_to_perform_insert = ${2 ** 60}`, 243],
] as const;

const stream = 'orders';
const rows = rowsOf(stream, 20, (i) => ({ entity_id: 'e', version: i + 1 }));
const more = rowsOf(stream, 20, (i) => ({ offset: 20 + i, entity_id: 'e', version: 21 + i }));
const letter = deadLetterOf({ stream, offset: 90 });

/** Writes and removals of the store, by name; each can be repeated until it succeeds. */
const changes: [string, (store: Store) => Promise<unknown>][] = [
  ['rows', (store) => store.writer.appendRowBatches(rowBatchesOf(more), 'more')],
  ['dead letters', (store) => store.writer.appendDeadLetters([deadLetterOf({ stream, offset: 91 })])],
  ['marks of replays', async (store) => store.writer.markReplayed(await letterIds(store), 1)],
  [
    'erasures',
    (store) =>
      store.eraser.eraseEntity({
        stream,
        entityHash: entityHash(stream, 'e'),
        entityId: 'e',
        before: { 0: 10 },
      }),
  ],
  ['truncations', (store) => store.eraser.truncate({ stream, partition: 0, before: 10 })],
];

async function letterIds(store: Store): Promise<string[]> {
  const { items } = await store.reader.deadLetters({ access: allStreams, limit: 10 });
  return items.map(({ id }) => id);
}

async function total(store: Store): Promise<number> {
  return (await store.reader.count({ access: allStreams, streams: [stream], limit: 1 })).total;
}

describe('a store', () => {
  let test: TestStore;
  beforeEach(async () => {
    test = await openTestStore();
    await test.store.writer.appendRowBatches(rowBatchesOf(rows), 'first');
    await test.store.writer.appendDeadLetters([letter]);
    await test.store.writer.markReplayed(await letterIds(test.store), 1);
    await test.store.eraser.truncate({
      stream,
      partition: 0,
      before: 1,
    });
  });
  afterEach(() => test.close());

  const alter = async (change: string): Promise<void> => {
    for (const table of everyTable) await test.engine.command({ query: `ALTER TABLE ${table} ${change}` });
  };
  const failure = (change: Promise<unknown>): Promise<Error> =>
    change.then(
      () => new Error('it succeeded'),
      (error: Error) => error,
    );

  describe.each(troubles)('that is %s', (_trouble, setting, code) => {
    it('keeps answering reads, rejects changes with a retryable error, and applies each change once after recovery', async () => {
      const names = setting.replaceAll(/ = \d+/g, '');
      await alter(`MODIFY SETTING ${setting}`);
      for (const [what, change] of changes) {
        const error = await failure(change(test.store));
        expect(error.message, what).toContain(`error ${code}`);
        expect(isRetryableStoreError(error), what).toBe(true);
      }
      expect(await total(test.store)).toBe(19);
      await test.store.ping();
      await alter(`RESET SETTING ${names}`);
      for (const [, change] of changes) {
        await change(test.store);
        await change(test.store);
      }
      expect(await total(test.store)).toBe(30);
      const { items } = await test.store.reader.entities({ access: allStreams, stream, limit: 5 });
      expect(items).toMatchObject([{ entity_id: 'e', version: 40 }]);
    });
  });

  it('that answers after the time limit has stored the rows, and a repeat does not store them twice', async () => {
    const proxy = await TcpProxy.start({ port: Number(new URL(test.options.url).port) });
    const slow = openClickHouse({
      ...test.options,
      url: `http://127.0.0.1:${proxy.port}`,
      insertTimeoutMs: 1_000,
    });
    proxy.delay({ down: 3_000 });
    const error = await failure(slow.writer.appendRowBatches(rowBatchesOf(more), 'more'));
    expect(isRetryableStoreError(error)).toBe(true);
    expect(error.message).toContain('did not answer in time');
    await expect.poll(() => total(test.store)).toBe(39);
    proxy.delay({});
    await slow.writer.appendRowBatches(rowBatchesOf(more), 'more');
    expect(await total(test.store)).toBe(39);
    expect(await test.store.writer.lastStoredOffset(stream, 0)).toBe(39);
    await slow.close();
    await proxy.stop();
  });
});
