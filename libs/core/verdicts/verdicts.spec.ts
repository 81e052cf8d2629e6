import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectedVersionHeader, TopicAndGroupNames } from '#event';
import {
  LogUnavailableError,
  type ConsumerHandler,
  type ConsumerOptions,
  type ConsumerRecord,
  type NewlyAssignedPartition,
  type RecordBatch,
} from '#kafka';
import { MemoryLog } from '#kafka/memory';
import { leaveOutRejected } from './rejected-record-filter.js';
import { VerdictConflictError, VerdictPublisher } from './verdict-publisher.js';
import { noOffsets, withIndexes } from './offset-bitmap.js';
import { encodeVerdicts, rangeOffsets, type Verdict } from './offset-range-verdicts.js';
import { VerdictTable, type VerdictTableOptions } from './verdict-table.js';
import { VerdictWaiters } from './verdict-waiters.js';

const names = new TopicAndGroupNames('spec.');
const topic = 'spec.events.orders.1';
const position = { topic, partition: 0 };
const forever = new AbortController().signal;
const longMs = 60_000;

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

/** Returns a log whose global table readers read new records only while a caller waits for them. */
function lagging(all: MemoryLog): VerdictTableOptions['log'] {
  return {
    admin: all.admin,
    tableReader: (of, handler) => {
      let late: ConsumerRecord[] | undefined;
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

/** Writes a verdict record as a process does that has read no record since its last decision. */
async function publishStale(decided: number, verdicts: readonly Verdict[]): Promise<void> {
  const refusedOnes = verdicts.map(({ offset }) => offset);
  const record = {
    ...position,
    range: 0,
    from: 0,
    decided,
    refused: withIndexes(noOffsets, refusedOnes),
    verdicts,
  };
  await (await log.producer()).append([encodeVerdicts(record, names)]);
}

const accepted = (offset: number, version = 1): Verdict => ({ offset, version });
const refused = (offset: number, current_version = 1): Verdict => ({ offset, current_version });

describe('published verdicts', () => {
  it('are known to every process, and to one that starts later', async () => {
    const other = await openTable();
    const { publisher } = await owner();
    await publisher.publish(position, 8, [accepted(3), refused(5), accepted(7)]);
    await expect.poll(() => other.decidedUntil(position)).toBe(8);
    for (const table of [other, await openTable()]) {
      expect([3, 5, 7].map((offset) => table.isRefused(position, offset))).toEqual([false, true, false]);
      expect(table.decidedUntil(position)).toBe(8);
    }
  });

  it('keep the refused records of earlier batches, also after compaction', async () => {
    const { publisher } = await owner();
    await publisher.publish(position, 4, [refused(3)]);
    await publisher.publish(position, 9, [accepted(5), refused(8)]);
    log.topics.get(names.verdicts)!.compact();
    const table = await openTable();
    expect([3, 5, 8].map((offset) => table.isRefused(position, offset))).toEqual([true, false, true]);
  });

  it('keep the refused records of the owner before, whose last verdicts the new one has not read yet', async () => {
    const [before, next] = [await owner(), await owner(lagging(log))];
    await before.publisher.publish(position, 4, [refused(3)]);
    expect(next.table.decidedUntil(position)).toBe(0);
    await next.table.upToDate(1_000);
    await next.publisher.publish(position, 9, [refused(8)]);
    const table = await openTable();
    expect([3, 8].map((offset) => table.isRefused(position, offset))).toEqual([true, true]);
  });

  it('of a batch over two ranges are one record for each range', async () => {
    const { publisher } = await owner();
    await publisher.publish(position, rangeOffsets + 9, [refused(rangeOffsets - 1), refused(rangeOffsets)]);
    log.topics.get(names.verdicts)!.compact();
    const table = await openTable();
    expect([...table.ranges()]).toEqual([
      { ...position, range: 0 },
      { ...position, range: 1 },
    ]);
    expect(table.isRefused(position, rangeOffsets - 1) && table.isRefused(position, rangeOffsets)).toBe(true);
    expect(table.decidedUntil(position)).toBe(rangeOffsets + 9);
  });

  it('are valid in the order of the log: a process that decided later and differently must stop', async () => {
    const [first, second] = [await owner(), await owner()];
    await first.publisher.publish(position, 8, [accepted(3), refused(5)]);
    await expect(second.publisher.publish(position, 8, [refused(3), refused(5)])).rejects.toThrow(
      VerdictConflictError,
    );
    expect(second.table.isRefused(position, 3)).toBe(false);
    await second.publisher.publish(position, 8, [accepted(3), refused(5)]);
  });

  it('of a process that was replaced are stale: the owner learns of them and writes its own again', async () => {
    const current = await owner();
    await current.publisher.publish(position, 20, [refused(5), refused(15)]);
    const stale: number[] = [];
    current.table.listen({ stale: ({ range }) => stale.push(range) });
    await publishStale(8, [refused(5)]);
    await expect.poll(() => stale).toEqual([0]);
    expect(current.table.isRefused(position, 15)).toBe(true);
    const later = await openTable();
    expect(later.staleRanges(position)).toEqual([0]);
    await current.publisher.repeat(position, 0);
    expect(current.table.staleRanges(position)).toEqual([]);
    await expect.poll(() => later.staleRanges(position)).toEqual([]);
    log.topics.get(names.verdicts)!.compact();
    const table = await openTable();
    expect([table.decidedUntil(position), table.isRefused(position, 15)]).toEqual([20, true]);
  });

  it('that are stale and followed by newer ones are not repeated', async () => {
    const { publisher, table } = await owner();
    await publisher.publish(position, 20, [refused(15)]);
    await publishStale(8, [refused(5)]);
    await publisher.publish(position, 30, [accepted(25)]);
    for (const one of [table, await openTable()]) expect(one.staleRanges(position)).toEqual([]);
  });

  it('below the decided offset stay as they are, whatever a later record says', async () => {
    const { publisher } = await owner();
    const early = await openTable();
    await publisher.publish(position, 8, [accepted(3), refused(5)]);
    const value = JSON.stringify({
      decided: 20,
      refused: Buffer.from([1 << 3, 1 << 2]).toString('base64'),
      verdicts: [],
    });
    await (await log.producer()).append([{ topic: names.verdicts, key: `${topic}/0/0`, value }]);
    for (const table of [early, await openTable()]) {
      await expect.poll(() => table.decidedUntil(position)).toBe(20);
      expect([3, 5, 10].map((offset) => table.isRefused(position, offset))).toEqual([false, true, true]);
      expect(table.staleRanges(position)).toEqual([0]);
    }
  });

  it('of an older range that are written again keep their bits in a process that starts later', async () => {
    const { publisher } = await owner();
    await publisher.publish(position, 9, [refused(5)]);
    await publisher.publish(position, rangeOffsets + 9, [refused(rangeOffsets + 1)]);
    await publisher.repeat(position, 0);
    await publisher.publish(position, rangeOffsets + 19, [refused(rangeOffsets + 11)]);
    log.topics.get(names.verdicts)!.compact();
    const table = await openTable();
    expect(table.decidedUntil(position)).toBe(rangeOffsets + 19);
    for (const offset of [5, rangeOffsets + 1, rangeOffsets + 11])
      expect(table.isRefused(position, offset)).toBe(true);
    expect(table.staleRanges(position)).toEqual([]);
  });

  it('with a mark are final: a process that refuses a record later is too late', async () => {
    const { publisher, table } = await owner();
    await publisher.publish(position, 4, [refused(3)]);
    await publisher.mark([{ ...position, decided: 20 }]);
    expect(table.decidedUntil(position)).toBe(20);
    await publishStale(15, [refused(3), refused(9)]);
    for (const one of [table, await openTable()]) {
      await expect.poll(() => one.staleRanges(position)).toEqual([0]);
      expect([3, 9].map((offset) => one.isRefused(position, offset))).toEqual([true, false]);
    }
    log.topics.get(names.verdicts)!.compact();
    expect((await openTable()).decidedUntil(position)).toBe(20);
  });

  it('with a mark are final also for a process that has read the mark before it refuses', async () => {
    const [first, late] = [await owner(), await owner()];
    await late.publisher.mark([{ ...position, decided: 2 }]);
    await first.publisher.mark([{ ...position, decided: 20 }]);
    await expect.poll(() => late.table.decidedUntil(position)).toBe(20);
    await expect(late.publisher.publish(position, 25, [refused(9)])).rejects.toThrow(VerdictConflictError);
    for (const one of [first.table, late.table, await openTable()])
      expect(one.isRefused(position, 9)).toBe(false);
  });

  it('with a mark are final also where no record was refused before', async () => {
    const { publisher, table } = await owner();
    await publisher.mark([{ ...position, decided: 20 }]);
    await publishStale(15, [refused(9)]);
    await publishStale(25, [refused(9), refused(22)]);
    for (const one of [table, await openTable()]) {
      await expect.poll(() => one.decidedUntil(position)).toBe(25);
      expect([9, 22].map((offset) => one.isRefused(position, offset))).toEqual([false, true]);
      expect(one.staleRanges(position)).toEqual([0]);
    }
    await publisher.repeat(position, 0);
    expect(table.staleRanges(position)).toEqual([]);
    expect((await openTable()).isRefused(position, 9)).toBe(false);
  });

  it('of far duplicates refuse unconditional records, and tell a writer the version of the event', async () => {
    const { publisher, table } = await owner();
    const found: Verdict[] = [];
    table.listen({ added: ({ verdicts }) => found.push(...verdicts) });
    const repeated: Verdict[] = [
      { offset: 3, repeated: 'far' },
      { offset: 5, version: 7, repeated: 'far' },
    ];
    await publisher.publish(position, 8, repeated);
    expect([3, 4, 5].map((offset) => table.isRefused(position, offset))).toEqual([true, false, true]);
    expect(found).toEqual([repeated[1]]);
  });

  it('on records that Kafka has lost are discarded, in every process and after compaction', async () => {
    const [lost, kept] = [rangeOffsets + 5, rangeOffsets + 2];
    const first = await owner();
    const other = await openTable();
    await first.publisher.publish(position, kept + 1, [{ offset: kept, current_version: 1 }]);
    const refused = [lost, 3 * rangeOffsets].map((offset) => ({ offset, current_version: 1 }));
    await first.publisher.publish(position, 3 * rangeOffsets + 1, refused);
    await first.publisher.reset(position, lost);
    const later = await openTable();
    log.topics.get(names.verdicts)!.compact();
    const compacted = await openTable();
    for (const table of [first.table, later, compacted]) {
      expect(table.decidedUntil(position)).toBe(lost);
      expect(table.isRefused(position, kept)).toBe(true);
      expect(table.refusedIn(position, 3)).toEqual(noOffsets);
      expect(table.staleRanges(position)).toEqual([]);
    }
    // The new record at the offset is decided anew, and marks that follow do not bring the old verdicts back.
    await first.publisher.publish(position, lost + 1, [{ offset: lost, version: 7 }]);
    await first.publisher.mark([{ ...position, decided: 4 * rangeOffsets }]);
    log.topics.get(names.verdicts)!.compact();
    for (const table of [first.table, other, await openTable()]) {
      await table.upToDate(1000);
      expect(table.decidedUntil(position)).toBe(4 * rangeOffsets);
      expect([kept, lost, 3 * rangeOffsets].map((offset) => table.isRefused(position, offset))).toEqual([
        true,
        false,
        false,
      ]);
    }
  });

  it('are not discarded without a decision from that offset on', async () => {
    const { table, publisher } = await owner();
    await publisher.publish(position, 6, [{ offset: 5, current_version: 1 }]);
    await publisher.reset(position, 6);
    expect([table.decidedUntil(position), table.isRefused(position, 5)]).toEqual([6, true]);
    expect((await log.admin.offsets(names.verdicts))[0]?.end).toBe(1);
  });

  it('are not read while the topic does not exist', async () => {
    const table = new VerdictTable({ log, names });
    tables.push(table);
    let requests = 0;
    const partitions = log.admin.partitions.bind(log.admin);
    log.admin.partitions = (of) => (requests++, partitions(of));
    const all = await Promise.all(Array.from({ length: 100 }, () => table.readyIfUsed()));
    expect([new Set(all), requests]).toEqual([new Set([false]), 1]);
    expect([await table.readyIfUsed(), table.isUsed, log.topics.has(names.verdicts)]).toEqual([
      false,
      false,
      false,
    ]);
    await owner();
    expect([await table.readyIfUsed(), table.isUsed]).toEqual([true, true]);
  });

  it('are removed with the mark of their partition', async () => {
    const { publisher, table } = await owner();
    await publisher.mark([{ ...position, decided: 20 }]);
    expect([...table.marked()]).toEqual([position]);
    await publisher.removeMarks([position]);
    await expect.poll(() => [...table.marked()]).toEqual([]);
    expect(table.decidedUntil(position)).toBe(0);
  });

  it('of a removed range are forgotten', async () => {
    const { publisher, table } = await owner();
    await publisher.publish(position, 8, [refused(5)]);
    await publisher.remove([{ ...position, range: 0 }]);
    await expect.poll(() => [...table.ranges()]).toEqual([]);
    expect(table.isRefused(position, 5)).toBe(false);
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
    await publisher.publish(position, 4, [refused(3)]);
    expect([...table.ranges()]).toEqual([{ ...position, range: 0 }]);
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
    const waiting = table.decided({ ...position, offset: 7 }, forever);
    await publisher.publish(position, 7, [accepted(6)]);
    const stop = new AbortController();
    const stopped = table.decided({ ...position, offset: 7 }, stop.signal);
    stop.abort(new Error('revoked'));
    await expect(stopped).rejects.toThrow('revoked');
    await publisher.publish(position, 8, [accepted(7)]);
    await waiting;
  });
});

describe('a writer', () => {
  it('gets the verdict that arrives before and after it asks', async () => {
    const { publisher } = await owner();
    const waiters = new VerdictWaiters(await openTable());
    const end = waiters.begin();
    await publisher.publish(position, 4, [accepted(3, 9)]);
    expect(await waiters.of({ ...position, offset: 3 }, longMs)).toEqual(accepted(3, 9));
    const later = waiters.of({ ...position, offset: 5 }, longMs);
    await publisher.publish(position, 6, [refused(5, 9)]);
    expect(await later).toEqual(refused(5, 9));
    end();
  });
});

describe('a consumer without refused records', () => {
  /** The offset that the materializer has committed in the spec's partition; a spec sets it. */
  let passed = 0;
  beforeEach(() => void (passed = 0));

  const values = (batches: readonly RecordBatch[]) =>
    batches.flatMap(({ records }) => records.map(({ value }) => value?.toString() ?? null));

  /** A partition is busy as soon as it has more than three records. */
  const busy = { records: 3, milliseconds: 600_000 };

  async function consume(
    table: VerdictTable,
    of = topic,
  ): Promise<{ batches: RecordBatch[]; close: () => Promise<void> }> {
    const batches: RecordBatch[] = [];
    const consumer = leaveOutRejected(log, {
      ...{ verdicts: table, committed: async () => passed, waiting: () => undefined, busy },
      ...{
        isStream: (of) => of.startsWith('spec.events.'),
        logTimeAt: async (_, { timestamp }) => timestamp,
      },
    }).consumer({
      group: 'g',
      onCrash: () => undefined,
      handler: {
        assigned: async ({ position }) => position,
        batch: async (batch) => void batches.push(batch),
        revoked: () => undefined,
      },
    });
    await consumer.subscribe([of]);
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
    await publisher.publish(position, 1, [accepted(0)]);
    expect(values(batches)).toEqual([]);
    await publisher.publish(position, 3, [refused(1)]);
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

  it('sees the records of a busy partition when they are decided; a far duplicate has no value', async () => {
    const { publisher, table } = await owner();
    const { batches, close } = await consume(table);
    await append({ value: 'a' }, { value: 'b' }, { value: 'c' });
    await expect.poll(() => values(batches)).toEqual(['a', 'b', 'c']);
    await append({ value: 'd' }, { value: 'e' });
    await publisher.publish(position, 4, [{ offset: 3, repeated: 'far' }]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(values(batches)).toEqual(['a', 'b', 'c']);
    await publisher.mark([{ ...position, decided: 5 }]);
    await expect.poll(() => values(batches)).toEqual(['a', 'b', 'c', null, 'e']);
    await close();
  });

  it('sees the records of a topic that is no stream at once, although it has many', async () => {
    const internal = 'spec.pipeline.x';
    await log.admin.create(internal, { partitions: 1 });
    const { batches, close } = await consume(await openTable(), internal);
    const producer = await log.producer();
    await producer.append([1, 2, 3, 4, 5, 6].map((n) => ({ topic: internal, key: 'e', value: `${n}` })));
    await expect.poll(() => values(batches)).toHaveLength(6);
    await close();
  });

  it(
    'sees busy records without a mark when the materializer has committed past them, and asks once for all',
    { timeout: 20_000 },
    async () => {
      const { batches, close } = await consume(await openTable());
      await append(...'abcdef'.split('').map((value) => ({ value })));
      passed = 12;
      await expect.poll(() => values(batches), { timeout: 15_000 }).toHaveLength(6);
      passed = 0;
      await append(...'ghijkl'.split('').map((value) => ({ value })));
      await expect.poll(() => values(batches), { timeout: 500 }).toHaveLength(12);
      await close();
    },
  );

  it('leaves out a refused record also when the partition is not busy any more', async () => {
    const { publisher } = await owner();
    await append({ value: 'a' }, { value: 'b' });
    await publisher.publish(position, 2, [{ offset: 1, repeated: 'far' }]);
    const table = new VerdictTable({ log, names });
    tables.push(table);
    const { batches, close } = await consume(table);
    await expect.poll(() => values(batches)).toEqual(['a', null]);
    await close();
  });

  it('keeps every other member of a refused record, also of one that reads its members on demand', async () => {
    const { publisher, table } = await owner();
    const seen: ConsumerRecord[] = [];
    let given: ConsumerHandler | undefined;
    const fetching = { ...log, consumer: (options: ConsumerOptions) => ((given = options.handler), {}) };
    leaveOutRejected(fetching as never, {
      ...{ verdicts: table, committed: async () => 0, waiting: () => undefined, busy },
      ...{ isStream: () => true, logTimeAt: async (_, { timestamp }) => timestamp },
    }).consumer({
      group: 'g',
      onCrash: () => undefined,
      handler: {
        assigned: async () => 0,
        batch: async ({ records }) => void seen.push(...records),
        revoked: () => undefined,
      },
    });
    await publisher.publish(position, 1, [refused(0)]);
    const batch = { ...position, records: [new FetchedLike()], bytes: 1, next: 1, highWatermark: 1 };
    await given!.assigned({ ...position, position: 0, beginning: 0 } as NewlyAssignedPartition);
    await given!.batch(batch);
    expect(seen).toEqual([
      {
        ...{ topic, partition: 0, offset: 0, timestamp: 7, value: null, key: Buffer.from('e') },
        headers: { [expectedVersionHeader]: Buffer.from('0') },
      },
    ]);
  });

  it('can be closed while a batch waits for its verdicts', async () => {
    const { batches, close } = await consume(await openTable());
    await append({ value: 'a', expected: 0 });
    await close();
    expect(batches).toEqual([]);
  });
});

/** A record whose members are getters of its class, like the members of a record that is fetched from Kafka. */
class FetchedLike implements ConsumerRecord {
  readonly topic = topic;
  readonly partition = 0;
  readonly offset = 0;
  readonly timestamp = 7;
  get key(): Buffer {
    return Buffer.from('e');
  }
  get value(): Buffer {
    return Buffer.from('{}');
  }
  get headers(): ConsumerRecord['headers'] {
    return { [expectedVersionHeader]: Buffer.from('0') };
  }
}
