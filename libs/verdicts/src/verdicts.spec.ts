import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectedVersionHeader, TopicNames } from '#event';
import { LogUnavailableError, type LogRecord, type RecordBatch } from '#log';
import { MemoryLog } from '#log/memory';
import { leaveOutRefused } from './leave-out-refused.js';
import { VerdictConflictError, VerdictPublisher } from './verdict-publisher.js';
import { rangeOffsets, type Verdict } from './verdict-record.js';
import { VerdictTable, type VerdictTableOptions } from './verdict-table.js';
import { VerdictWaiters } from './verdict-waiters.js';

const names = new TopicNames('spec.');
const topic = 'spec.events.orders.1';
const place = { topic, partition: 0 };
const forever = new AbortController().signal;

let log: MemoryLog;
let tables: VerdictTable[];
beforeEach(() => {
  [log, tables] = [new MemoryLog(), []];
});
afterEach(async () => {
  await Promise.all(tables.map((table) => table.close()));
  await log.close();
});

async function openTable(of: VerdictTableOptions['log'] = log): Promise<VerdictTable> {
  const table = new VerdictTable({ log: of, names });
  tables.push(table);
  await table.ready();
  return table;
}

/** A log whose table readers read new records only when something waits for them. */
function lagging(all: MemoryLog): VerdictTableOptions['log'] {
  return {
    admin: all.admin,
    tableReader: (of, handler) => {
      let late: LogRecord[] | undefined;
      const reader = all.tableReader(of, {
        record: (record) => (late ? late.push(record) : handler.record(record)),
      });
      return {
        start: async () => {
          await reader.start();
          late = [];
        },
        caughtUp: async (offset, timeoutMs) => {
          await reader.caughtUp(offset, timeoutMs);
          for (const record of late!.splice(0)) handler.record(record);
        },
        get failure() {
          return reader.failure;
        },
        get answeredAt() {
          return reader.answeredAt;
        },
        close: () => reader.close(),
      };
    },
  };
}

async function owner(
  of?: VerdictTableOptions['log'],
): Promise<{ table: VerdictTable; publisher: VerdictPublisher }> {
  const table = await openTable(of);
  return { table, publisher: new VerdictPublisher({ table, names, producer: () => log.producer() }) };
}

const accepted = (offset: number, version = 1): Verdict => ({ offset, version });
const refused = (offset: number, current_version = 1): Verdict => ({ offset, current_version });

describe('published verdicts', () => {
  it('are known to every process, and to one that starts later', async () => {
    const other = await openTable();
    const { publisher } = await owner();
    await publisher.publish(place, 8, [accepted(3), refused(5), accepted(7)]);
    await expect.poll(() => other.decidedUntil(place)).toBe(8);
    for (const table of [other, await openTable()]) {
      expect([3, 5, 7].map((offset) => table.isRefused(place, offset))).toEqual([false, true, false]);
      expect(table.decidedUntil(place)).toBe(8);
    }
  });

  it('keep the refused records of earlier batches, also after compaction', async () => {
    const { publisher } = await owner();
    await publisher.publish(place, 4, [refused(3)]);
    await publisher.publish(place, 9, [accepted(5), refused(8)]);
    log.topics.get(names.verdicts)!.compact();
    const table = await openTable();
    expect([3, 5, 8].map((offset) => table.isRefused(place, offset))).toEqual([true, false, true]);
  });

  it('keep the refused records of the owner before, whose last verdicts the new one has not read yet', async () => {
    const [before, next] = [await owner(), await owner(lagging(log))];
    await before.publisher.publish(place, 4, [refused(3)]);
    expect(next.table.decidedUntil(place)).toBe(0);
    await next.table.upToDate(1_000);
    await next.publisher.publish(place, 9, [refused(8)]);
    const table = await openTable();
    expect([3, 8].map((offset) => table.isRefused(place, offset))).toEqual([true, true]);
  });

  it('of a batch over two ranges are one record for each range', async () => {
    const { publisher } = await owner();
    await publisher.publish(place, rangeOffsets + 9, [refused(rangeOffsets - 1), refused(rangeOffsets)]);
    log.topics.get(names.verdicts)!.compact();
    const table = await openTable();
    expect([...table.ranges()]).toEqual([
      { ...place, range: 0 },
      { ...place, range: 1 },
    ]);
    expect(table.isRefused(place, rangeOffsets - 1) && table.isRefused(place, rangeOffsets)).toBe(true);
    expect(table.decidedUntil(place)).toBe(rangeOffsets + 9);
  });

  it('are valid in the order of the log: a process that decided later and differently must stop', async () => {
    const [first, second] = [await owner(), await owner()];
    await first.publisher.publish(place, 8, [accepted(3), refused(5)]);
    await expect(second.publisher.publish(place, 8, [refused(3), refused(5)])).rejects.toThrow(
      VerdictConflictError,
    );
    expect(second.table.isRefused(place, 3)).toBe(false);
    await second.publisher.publish(place, 8, [accepted(3), refused(5)]);
  });

  it('of a process that was replaced are stale: the owner learns of them and writes its own again', async () => {
    const [zombie, current] = [await owner(), await owner()];
    await current.publisher.publish(place, 20, [refused(5), refused(15)]);
    const stale: number[] = [];
    current.table.listen({ stale: ({ decided }) => stale.push(decided) });
    await zombie.publisher.publish(place, 8, [refused(5)]).catch(() => undefined);
    await expect.poll(() => stale).toEqual([8]);
    expect(current.table.isRefused(place, 15)).toBe(true);
    await current.publisher.repeat(place, 0);
    log.topics.get(names.verdicts)!.compact();
    const table = await openTable();
    expect([table.decidedUntil(place), table.isRefused(place, 15)]).toEqual([20, true]);
  });

  it('of a removed range are forgotten', async () => {
    const { publisher, table } = await owner();
    await publisher.publish(place, 8, [refused(5)]);
    await publisher.remove([{ ...place, range: 0 }]);
    await expect.poll(() => [...table.ranges()]).toEqual([]);
    expect(table.isRefused(place, 5)).toBe(false);
  });
});

describe('a table of verdicts', () => {
  it('creates the topic only when it is needed', async () => {
    const table = new VerdictTable({ log, names });
    expect(log.topics.has(names.verdicts)).toBe(false);
    await table.ready();
    expect(log.topics.has(names.verdicts)).toBe(true);
    await table.close();
  });

  it('skips records of another form', async () => {
    const { publisher, table } = await owner();
    const producer = await log.producer();
    const values = ['', '[]', '{"decided":1}', '{"decided":9,"refused":1,"verdicts":[]}', null];
    for (const value of values)
      await producer.append([{ topic: names.verdicts, key: `${topic}/0/0`, value }]);
    await producer.append([
      { topic: names.verdicts, key: 'x', value: '{"decided":9,"refused":"","verdicts":[]}' },
    ]);
    await publisher.publish(place, 4, [refused(3)]);
    expect([...table.ranges()]).toEqual([{ ...place, range: 0 }]);
  });

  it('starts again after the log was unreachable', async () => {
    const table = new VerdictTable({ log, names });
    tables.push(table);
    log.down = true;
    await expect(table.ready()).rejects.toThrow(LogUnavailableError);
    log.down = false;
    await table.ready();
  });

  it('waits for the verdict on a record, until the caller stops', async () => {
    const { publisher, table } = await owner();
    const waiting = table.decided({ ...place, offset: 7 }, forever);
    await publisher.publish(place, 7, [accepted(6)]);
    const stop = new AbortController();
    const stopped = table.decided({ ...place, offset: 7 }, stop.signal);
    stop.abort(new Error('revoked'));
    await expect(stopped).rejects.toThrow('revoked');
    await publisher.publish(place, 8, [accepted(7)]);
    await waiting;
  });
});

describe('a writer', () => {
  it('gets the verdict that arrives before and after it asks', async () => {
    const { publisher } = await owner();
    const waiters = new VerdictWaiters(await openTable());
    const end = waiters.begin();
    await publisher.publish(place, 4, [accepted(3, 9)]);
    expect(await waiters.of({ ...place, offset: 3 }, forever)).toEqual(accepted(3, 9));
    const later = waiters.of({ ...place, offset: 5 }, forever);
    await publisher.publish(place, 6, [refused(5, 9)]);
    expect(await later).toEqual(refused(5, 9));
    end();
  });

  it('stops waiting when its request ends', async () => {
    const waiters = new VerdictWaiters(await openTable());
    waiters.begin();
    const stop = new AbortController();
    const waiting = waiters.of({ ...place, offset: 3 }, stop.signal);
    stop.abort(new Error('too late'));
    await expect(waiting).rejects.toThrow('too late');
  });
});

describe('a consumer without refused records', () => {
  /** The offset that the materializer has committed. */
  let passed = 0;
  beforeEach(() => void (passed = 0));

  const values = (batches: readonly RecordBatch[]) =>
    batches.flatMap(({ records }) => records.map(({ value }) => value?.toString() ?? null));

  async function consume(
    table: VerdictTable,
  ): Promise<{ batches: RecordBatch[]; close: () => Promise<void> }> {
    const batches: RecordBatch[] = [];
    const consumer = leaveOutRefused(log, {
      ...{ verdicts: table, committed: async () => passed, waiting: () => undefined },
    }).consumer({
      group: 'g',
      onCrash: () => undefined,
      handler: {
        assigned: async ({ position }) => position,
        batch: async (batch) => void batches.push(batch),
        revoked: () => undefined,
      },
    });
    await consumer.subscribe([topic]);
    return { batches, close: () => consumer.close() };
  }

  beforeEach(() => log.admin.create(topic, { partitions: 1 }));

  const append = async (...records: { value: string; expected?: number }[]): Promise<void> => {
    const producer = await log.producer();
    const made = records.map(({ value, expected }) => ({
      ...{ topic, key: 'e', value },
      ...(expected !== undefined && { headers: { [expectedVersionHeader]: String(expected) } }),
    }));
    await producer.append(made);
  };

  it('sees unconditional records at once', async () => {
    const { batches, close } = await consume(await openTable());
    await append({ value: 'a' }, { value: 'b' });
    await expect.poll(() => values(batches)).toEqual(['a', 'b']);
    await close();
  });

  it('sees conditional records when they are decided; a refused one has no value', async () => {
    const { publisher, table } = await owner();
    const { batches, close } = await consume(table);
    await append({ value: 'a', expected: 0 }, { value: 'b', expected: 0 }, { value: 'c' });
    await publisher.publish(place, 1, [accepted(0)]);
    expect(values(batches)).toEqual([]);
    await publisher.publish(place, 3, [refused(1)]);
    await expect.poll(() => values(batches)).toEqual(['a', null, 'c']);
    await close();
  });

  it(
    'leaves out a record that the materializer has passed without a verdict',
    { timeout: 20_000 },
    async () => {
      const { batches, close } = await consume(await openTable());
      await append({ value: 'a', expected: 0 }, { value: 'b' });
      passed = 2;
      await expect.poll(() => values(batches), { timeout: 15_000 }).toEqual([null, 'b']);
      await close();
    },
  );

  it('can be closed while a batch waits for its verdicts', async () => {
    const { batches, close } = await consume(await openTable());
    await append({ value: 'a', expected: 0 });
    await close();
    expect(batches).toEqual([]);
  });
});
