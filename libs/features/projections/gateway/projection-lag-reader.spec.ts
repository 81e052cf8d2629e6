import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TopicAndGroupNames } from '#event';
import type { ProjectionGeneration } from '#features/projections/definition';
import type { StreamDefinition } from '#registry';
import { MemoryLog } from '#kafka/memory';
import { GroupLagReader, type GroupLagReaderLimits } from '#gateway-kit';
import { ProjectionLagReader } from './projection-lag-reader.js';

const topics = new TopicAndGroupNames('t.');
const topic = topics.ofStream('orders#1');
const created_at = '2026-11-21T04:00:00.000000Z';

let log: MemoryLog;
let made: string;

beforeEach(async () => {
  log = new MemoryLog();
  made = 'orders#1';
  await log.admin.create(topic, { partitions: 1 });
});
afterEach(() => log.close());

const definitions = {
  stream: (stream: string) =>
    stream === 'orders'
      ? ({ stream, state: 'live', id: made, partitions: 1 } as StreamDefinition)
      : undefined,
};
const lagWith = (
  bounds: Partial<GroupLagReaderLimits> = {},
  admin: ConstructorParameters<typeof GroupLagReader>[0]['admin'] = log.admin,
) => new ProjectionLagReader(new GroupLagReader({ admin }, { keptMs: 0, ...bounds }), definitions, topics);

function generation(
  id: string,
  source: ProjectionGeneration['sources'][string] = { id: 'orders#1' },
): ProjectionGeneration {
  const spec = { source: { streams: ['orders'] }, fields: {}, from: 'beginning' } as const;
  return { id, version: 1, spec, sources: { orders: source }, started_at: created_at };
}

async function written(records: number): Promise<void> {
  const producer = await log.producer();
  await producer.append(Array.from({ length: records }, () => ({ topic, key: 'k', value: '{}' })));
}

const committed = (id: string, offset: number) =>
  log.broker.group(topics.projectionGroup(id)).commit({ topic, partition: 0 }, offset);

describe('the lag of a generation', () => {
  it('is the number of records that its own group has not committed', async () => {
    await written(10);
    committed('a', 7);
    committed('b', 10);
    const found = await lagWith().of(['a', 'b', 'c'].map((id) => generation(id)));
    expect(Object.fromEntries(found)).toMatchObject({
      a: { lag: 3, total: 10 },
      b: { lag: 0, total: 10 },
      c: { lag: 10, total: 10 },
    });
  });

  it('starts where the generation does', async () => {
    await written(10);
    const found = await lagWith().of([generation('a', { id: 'orders#1', starts: [8] })]);
    expect(found.get('a')).toMatchObject({ lag: 2, total: 2 });
  });

  it('includes records that the log has removed, because they are read from the store', async () => {
    await written(10);
    log.topics.get(topic)!.truncate(0, 6);
    committed('a', 4);
    const found = await lagWith().of([generation('a'), generation('b', { id: 'orders#1', starts: [3] })]);
    expect(Object.fromEntries(found)).toMatchObject({ a: { lag: 6, total: 10 }, b: { lag: 7, total: 7 } });
  });

  it('excludes a stream that was deleted, or deleted and created again', async () => {
    await written(10);
    made = 'orders#2';
    expect((await lagWith().of([generation('a')])).get('a')).toMatchObject({ lag: 0, total: 0 });
    made = 'orders#1';
    await log.admin.remove(topic);
    expect((await lagWith().of([generation('a')])).get('a')).toMatchObject({ lag: 0, total: 0 });
  });

  it('is requested once for concurrent callers, with a limit of concurrent requests', async () => {
    let [asked, running, most] = [0, 0, 0];
    const admin = {
      offsets: async () => question(() => log.admin.offsets(topic)),
      committedIn: async (group: string, wanted: ReadonlyMap<string, number>) =>
        question(() => log.admin.committedIn(group, wanted)),
    };
    const question = async <T>(ask: () => Promise<T>): Promise<T> => {
      asked++;
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running--;
      return ask();
    };
    const lag = lagWith({ concurrent: 3, keptMs: 60_000 }, admin);
    const generations = Array.from({ length: 20 }, (_, i) => generation(`b${i}`));
    await Promise.all(Array.from({ length: 5 }, () => lag.of(generations)));
    expect([asked, most]).toEqual([21, 3]);
    await lag.of(generations);
    expect(asked).toBe(21);
  });

  it('is requested again after a failure, and refused when there are too many requests', async () => {
    log.down = true;
    const lag = lagWith({ keptMs: 60_000, most: 2 });
    await expect(lag.of([generation('a')])).rejects.toThrow();
    log.down = false;
    expect((await lag.of([generation('a')])).get('a')).toMatchObject({ lag: 0, total: 0 });
    await expect(lag.of([generation('b')])).rejects.toMatchObject({ code: 'overloaded' });
  });
});
