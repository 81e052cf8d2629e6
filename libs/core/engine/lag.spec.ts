import type { TopicAdmin } from '#kafka';
import { MemoryLog } from '#kafka/memory';
import { beforeEach, describe, expect, it } from 'vitest';
import { OffsetCommitter } from './offset-committer.js';
import { LagMonitor, pauseAfter, type MeasuredPartition } from './lag.js';
import { StalledConsumerDetector } from './progress.js';

const start = 1_795_000_000_000;

describe('LagMonitor', () => {
  let log: MemoryLog;
  let now: number;
  let states: MeasuredPartition[];
  const shown = new Map<string, number>();
  let lag: LagMonitor;
  let progress: StalledConsumerDetector;

  const stateOf = (stream: string, committed: number, handledUntil = start): MeasuredPartition => ({
    topic: `topic-${stream}`,
    partition: 0,
    end: committed,
    handledUntil,
    commits: new OffsetCommitter(committed, async () => true),
  });

  beforeEach(async () => {
    now = start;
    states = [];
    log = new MemoryLog();
    progress = new StalledConsumerDetector(() => now);
    lag = new LagMonitor({
      admin: log.admin,
      progress,
      partitions: () => states,
      intervalMs: 60_000,
      now: () => now,
      nameOf: ({ topic }) => topic,
      gauge: {
        set: (name, { events }) => void shown.set(name, events),
        remove: (name) => void shown.delete(name),
      },
    });
    const producer = await log.producer();
    for (const stream of ['a', 'b']) {
      const topic = `topic-${stream}`;
      await log.admin.create(topic, { partitions: 1 });
      await producer.append(Array.from({ length: 10 }, () => ({ topic, key: 'k', value: 'v' })));
    }
  });

  it('counts records that the consumer has not received', async () => {
    states = [stateOf('a', 4), stateOf('b', 9)];
    await lag.measure();
    now += 2500;
    expect(lag.total).toEqual({ events: 7, seconds: 2.5 });
  });

  it('is 0 if everything is committed, even if that was long ago', async () => {
    states = [stateOf('a', 10)];
    now += 3_600_000;
    await lag.measure();
    expect(lag.total).toEqual({ events: 0, seconds: 0 });
  });

  it('measures the age from the last time without lag', async () => {
    states = [stateOf('a', 10, start - 3_600_000)];
    await lag.measure();
    now += 1000;
    states[0]!.end = 11;
    expect(lag.total).toEqual({ events: 1, seconds: 1 });
  });

  it('exports the lag by name, and removes names without partitions in this process', async () => {
    states = [stateOf('a', 4), stateOf('b', 9)];
    await lag.measure();
    expect(Object.fromEntries(shown)).toEqual({ 'topic-a': 6, 'topic-b': 1 });
    states = [states[1]!];
    await lag.measure();
    expect(Object.fromEntries(shown)).toEqual({ 'topic-b': 1 });
  });

  it('measures the other topics if one is deleted, and does not count its failure as an attempt', async () => {
    states = [stateOf('gone', 4), stateOf('a', 4)];
    now += 61_000;
    await lag.measure();
    expect(lag.total.events).toBe(6);
    expect(progress.hangs(lag.total.events)).toBe(true);
  });

  it('reads the offsets of a thousand topics with one request', async () => {
    let questions = 0;
    const asking = new LagMonitor({
      admin: Object.assign(Object.create(log.admin) as TopicAdmin, {
        offsetsIn: (topics: readonly string[]) => {
          questions++;
          return log.admin.offsetsIn(topics);
        },
        offsets: () => Promise.reject(new Error('one topic after the other')),
      }),
      ...{ progress, partitions: () => states, intervalMs: 60_000, now: () => now },
      nameOf: ({ topic }) => topic,
      gauge: { set: () => undefined, remove: () => undefined },
    });
    states = Array.from({ length: 1_000 }, (_, i) => stateOf(i < 2 ? ['a', 'b'][i]! : `c${i}`, 4));
    await asking.measure();
    expect([asking.total.events, questions]).toEqual([12, 1]);
  });

  it('counts as an attempt if no topic can be measured', async () => {
    states = [stateOf('a', 4)];
    await lag.measure();
    now += 61_000;
    log.down = true;
    await lag.measure();
    expect(progress.hangs(lag.total.events)).toBe(false);
  });

  it('detects a consumer that hangs: measured lag without progress', async () => {
    states = [stateOf('a', 4)];
    now += 61_000;
    await lag.measure();
    expect(progress.hangs(lag.total.events)).toBe(true);
  });
});

describe('the pause after a measurement of the lag', () => {
  it('is the interval for few partitions, longer for many, and bounded', () => {
    expect([1, 33, 60, 100, 60_000].map((tookMs) => pauseAfter(tookMs, 5_000))).toEqual([
      ...[5_000, 5_000, 9_000, 15_000],
      15_000,
    ]);
  });

  it('is never shorter than the interval', () => {
    expect(pauseAfter(60_000, 30_000)).toBe(30_000);
  });
});
