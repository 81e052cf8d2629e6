import { expect, it } from 'vitest';
import { compilePipeline, sourceEvent, type OperatorJson } from '#features/pipelines/computation';
import { JobConfiguration } from './job-configuration.js';
import { KeyedStageTask, type KeyedStageTaskOptions } from './keyed-stage-task.js';
import { PartitionRowCache, RowCacheBudget } from '../state/partition-row-cache.js';
import { recordOf, topics } from '../pipelines.fixture.js';
import { eventLoopRoundsDuring } from '../event-loop-rounds.fixture.js';
import { encodeRepartitionedEvent } from '../output/stage-record.js';

const costly = 'event.data.l.all(a, event.data.l.all(b, event.data.l.all(c, c >= 0)))';

it('a partition of a window yields to other work between events that are expensive to fold', async () => {
  const operators: OperatorJson[] = [
    { window: { tumbling: '1m', key: 'event.entity_id', lateness: '0s' } },
    { reduce: { n: { op: 'sum', value: `${costly} ? 1 : 0` } } },
    { emit: { stream: 'out' } },
  ];
  const pipeline = compilePipeline({ source: { streams: ['orders'] }, operators, from: 'beginning' });
  const { id } = pipeline.stages[0]!;
  const label = {
    name: 'p',
    version: 1,
    id: 'a'.repeat(24),
    streams: () => ['orders'],
    idOf: (name: string) => name,
  };
  const topic = topics.ofStream('orders#1');
  const run = new JobConfiguration(label, pipeline, {
    sources: new Map([['orders', 1]]),
    topics: new Map([[id, { topic, partitions: 1 }]]),
  });
  const source = { load: () => Promise.resolve([]), due: () => Promise.resolve([]) };
  const rows = new PartitionRowCache(true, -Infinity, {
    source,
    budget: new RowCacheBudget({ keys: 100, weight: 1e6 }),
  });
  const task = new KeyedStageTask({
    ...{ stage: id, rows, current: () => run, now: () => 0 },
    state: {
      ...{ place: { partition: 0 }, next: 0, watermark: 0, state: '' },
      ended: new AbortController().signal,
      ...{ done: () => undefined, advance: () => undefined },
    },
    sink: { write: () => Promise.resolve() },
    permit: () => Promise.resolve(() => undefined),
  } as unknown as KeyedStageTaskOptions);
  const records = [0, 1, 2, 3, 4].map((offset) => {
    const event = recordOf({ id: offset, data: { l: [...Array(60).keys()] } });
    const flow = sourceEvent({ ...event, stream: 'orders', partition: 0, offset });
    const forwarded = { source: 'orders/0', offset, index: 0, path: '', watermark: 0, flow };
    return {
      ...{ topic, partition: 0, offset, timestamp: 0, headers: {} },
      ...{ key: Buffer.from('e'), value: Buffer.from(encodeRepartitionedEvent(forwarded)) },
    };
  });
  const batch = { topic, partition: 0, records, bytes: 0, next: 5, highWatermark: 5 };
  expect(await eventLoopRoundsDuring(() => task.take(batch))).toBeGreaterThanOrEqual(4);
  expect(rows.size).toBe(1);
});
