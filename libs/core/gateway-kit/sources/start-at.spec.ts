import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatTime } from '#json';
import { MemoryLog } from '#kafka/memory';
import { startAt } from './start-at.js';

const topic = 'orders';
const hour = 3_600_000;
/** Times of the log, in whole seconds and hours ago. */
const now = Math.floor(Date.now() / 1000) * 1000;
const ago = (hours: number) => now - hours * hour;

let log: MemoryLog;
let clock: number;
beforeEach(async () => {
  log = new MemoryLog({ now: () => clock });
  await log.admin.create(topic, { partitions: 2 });
});
afterEach(() => log.close());

/** Appends a record to a partition at each of these times, in hours ago. */
async function given(partition: number, ...hours: number[]): Promise<void> {
  const producer = await log.producer();
  for (const one of hours) {
    clock = ago(one);
    await producer.append([{ topic, partition, key: 'a', value: '{}' }]);
  }
}

const started = (hours: number, retention: Parameters<typeof startAt>[2]['retention'] = 'unlimited') =>
  startAt(log.admin, topic, {
    instant: ago(hours) * 1000,
    created_at: formatTime(ago(100) * 1000),
    retention,
  });

describe('a start at an instant', () => {
  it('is the first event of each partition that arrived then or later', async () => {
    await given(0, 5, 4, 3);
    await given(1, 6, 2);
    expect(await started(4)).toEqual([1, 1]);
    expect(await started(1)).toEqual([3, 2]);
    expect(await started(99)).toEqual([0, 0]);
  });

  it('is possible after events that the log has lost, if it still has one from before', async () => {
    await given(0, 5, 4, 3);
    log.topics.get(topic)!.truncate(0, 1);
    expect(await started(3)).toEqual([2, 0]);
  });

  it('that may be before lost events is rejected with the earliest possible start, exact to a second', async () => {
    await given(0, 5, 4, 3);
    await given(1, 6, 2, 1);
    log.topics.get(topic)!.truncate(0, 1);
    log.topics.get(topic)!.truncate(1, 1);
    const { reachesTo } = (await started(50)) as { reachesTo: number };
    expect(reachesTo).toBe((ago(2) + 1000) * 1000);
    expect(await started(2)).toEqual({ reachesTo });
    expect(
      await startAt(log.admin, topic, { instant: reachesTo, created_at: '', retention: 'unlimited' }),
    ).toEqual([3, 2]);
  });

  it('in a partition that has lost all its events is possible only within the retention of the stream', async () => {
    await given(0, 50);
    log.topics.get(topic)!.truncate(0, 1);
    expect(await started(3)).toEqual({ reachesTo: undefined });
    expect(await started(3, { time: '4h' })).toEqual([1, 0]);
    expect(await started(3, { time: '4h', bytes: 1 })).toEqual({ reachesTo: undefined });
    expect(await started(5, { time: '4h' })).toEqual({ reachesTo: (ago(4) + 1000) * 1000 });
  });

  it('of a stream whose topic does not exist is undefined', async () => {
    const all = { instant: 0, created_at: '', retention: 'unlimited' } as const;
    expect(await startAt(log.admin, 'none', all)).toBeUndefined();
  });
});
