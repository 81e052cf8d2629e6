import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeRecord } from '#event';
import { compilePipeline, type WatermarkRecord } from '#features/pipelines/computation';
import { IdWindow } from '#dataflow';
import { recordOf, topics } from '../pipelines.fixture.js';
import { JobConfiguration } from './job-configuration.js';
import { eventLoopRoundsDuring } from '../event-loop-rounds.fixture.js';
import { SourceTask, type SourceTaskOptions } from './source-task.js';

const idleAfterMs = 30_000;

describe('A source partition at its end', () => {
  let nowMs: number;
  let told: WatermarkRecord[];
  let task: SourceTask;

  beforeEach(() => {
    [nowMs, told] = [1_000_000, []];
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    task = new SourceTask({
      state: { place: { partition: 0 }, partition: { end: 5 }, next: 5, watermark: 100 },
      stream: 'orders',
      window: new IdWindow({ records: 10, milliseconds: 1000 }),
      current: () => ({ pipeline: { idleAfterMs }, fedBy: () => [{ topic: 't', partitions: 1 }] }),
      controls: { tell: async (control: WatermarkRecord) => void told.push(control) },
      now: () => nowMs * 1000,
    } as unknown as SourceTaskOptions);
  });
  afterEach(() => vi.restoreAllMocks());

  /** Calls `tell` every tenth of a second for `ms` milliseconds. Resolves with the last watermark record. */
  const look = async (ms: number): Promise<WatermarkRecord | undefined> => {
    for (const until = nowMs + ms; nowMs < until;) {
      nowMs += 100;
      await task.tell();
    }
    return told.at(-1);
  };

  it('is idle when no record has arrived for a long time', async () => {
    expect(await look(idleAfterMs - 100)).toMatchObject({ next: 5, watermark: 100, idle: false });
    expect(await look(100)).toMatchObject({ next: 5, idle: true });
  });

  it('is not idle because its process was suspended, since records may have arrived meanwhile', async () => {
    await look(1000);
    nowMs += 10 * idleAfterMs;
    expect(await look(100)).toMatchObject({ watermark: 100, idle: false });
    expect(await look(idleAfterMs - 100)).toMatchObject({ idle: false });
    expect(await look(100)).toMatchObject({ idle: true });
  });
});

describe('A source partition', () => {
  it('yields to other work between records that are expensive to filter', async () => {
    const where = '!event.data.l.all(a, event.data.l.all(b, event.data.l.all(c, c >= 0)))';
    const source = { streams: ['orders'], where };
    const pipeline = compilePipeline({ source, operators: [{ emit: { stream: 'out' } }], from: 'beginning' });
    const label = {
      name: 'p',
      version: 1,
      id: 'a'.repeat(24),
      streams: () => ['orders'],
      sourceIds: '',
      idOf: (name: string) => name,
    };
    const feeds = { sources: new Map([['orders', 1]]), topics: new Map() };
    const task = new SourceTask({
      state: {
        ...{ place: { partition: 0 }, partition: { end: 0 }, next: 0, watermark: 0 },
        ended: new AbortController().signal,
        ...{ done: () => undefined, advance: () => undefined },
      },
      stream: 'orders',
      window: new IdWindow({ records: 10, milliseconds: 1000 }),
      erasures: { endOf: () => 0 },
      current: () => new JobConfiguration(label, pipeline, feeds),
      sink: { write: () => Promise.resolve() },
      permit: () => Promise.resolve(() => undefined),
      now: () => 0,
    } as unknown as SourceTaskOptions);
    const records = [0, 1, 2, 3, 4].map((id) => ({
      ...{
        topic: topics.ofStream('orders#1'),
        partition: 0,
        offset: id,
        timestamp: 0,
        key: null,
        headers: {},
      },
      value: Buffer.from(encodeRecord(recordOf({ id, data: { l: [...Array(60).keys()] } }))),
    }));
    const batch = { topic: 't', partition: 0, records, bytes: 0, next: 5, highWatermark: 5 };
    expect(await eventLoopRoundsDuring(() => task.take(batch))).toBeGreaterThanOrEqual(4);
  });
});
