import { MemoryLog } from '#log';
import { metrics } from '#telemetry';
import { beforeEach, describe, expect, it } from 'vitest';
import { CommitLine } from './commit-line.js';
import { LagMonitor } from './lag.js';
import type { PartitionState } from './partition-state.js';
import { Progress } from './progress.js';

const start = 1_795_000_000_000;

describe('LagMonitor', () => {
  let log: MemoryLog;
  let now: number;
  let states: PartitionState[];
  let lag: LagMonitor;
  let progress: Progress;

  const stateOf = (stream: string, committed: number, handledUntil = start): PartitionState =>
    ({
      topic: `topic-${stream}`,
      partition: 0,
      stream,
      end: committed,
      handledUntil,
      commits: new CommitLine(committed, async () => true),
    }) as PartitionState;

  beforeEach(async () => {
    now = start;
    states = [];
    log = new MemoryLog();
    progress = new Progress(() => now);
    lag = new LagMonitor({
      admin: log.admin,
      progress,
      partitions: () => states,
      intervalMs: 60_000,
      now: () => now,
    });
    const producer = await log.producer();
    for (const stream of ['a', 'b']) {
      const topic = `topic-${stream}`;
      await log.admin.create(topic, { partitions: 1 });
      await producer.append(Array.from({ length: 10 }, () => ({ topic, key: 'k', value: 'v' })));
    }
  });

  const shown = async () =>
    Object.fromEntries(
      (await metrics.consumeLagRecords.get()).values.map(
        ({ labels, value }) => [String(labels.stream), value] as const,
      ),
    );

  it('sees records of which the consumer was handed nothing', async () => {
    states = [stateOf('a', 4), stateOf('b', 9)];
    await lag.measure();
    now += 2500;
    expect(lag.total).toEqual({ events: 7, seconds: 2.5 });
  });

  it('is nothing when everything is committed, however long ago that was', async () => {
    states = [stateOf('a', 10)];
    now += 3_600_000;
    await lag.measure();
    expect(lag.total).toEqual({ events: 0, seconds: 0 });
  });

  it('counts the age from when there was none', async () => {
    states = [stateOf('a', 10, start - 3_600_000)];
    await lag.measure();
    now += 1000;
    states[0]!.end = 11;
    expect(lag.total).toEqual({ events: 1, seconds: 1 });
  });

  it('shows the lag by stream, and no longer that of streams that this process has no partition of', async () => {
    states = [stateOf('a', 4), stateOf('b', 9)];
    await lag.measure();
    expect(await shown()).toEqual({ a: 6, b: 1 });
    states = [states[1]!];
    await lag.measure();
    expect(await shown()).toEqual({ b: 1 });
  });

  it('measures the other topics when one is gone; its failure is no sign that something is tried', async () => {
    states = [stateOf('gone', 4), stateOf('a', 4)];
    now += 61_000;
    await lag.measure();
    expect(lag.total.events).toBe(6);
    expect(progress.hangs(lag.total.events)).toBe(true);
  });

  it('counts as an attempt when no topic can be asked', async () => {
    states = [stateOf('a', 4)];
    await lag.measure();
    now += 61_000;
    log.down = true;
    await lag.measure();
    expect(progress.hangs(lag.total.events)).toBe(false);
  });

  it('tells a consumer that hangs: there is lag, it was measured, and nothing moves', async () => {
    states = [stateOf('a', 4)];
    now += 61_000;
    await lag.measure();
    expect(progress.hangs(lag.total.events)).toBe(true);
  });
});
