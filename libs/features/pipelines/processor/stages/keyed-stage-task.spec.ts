import { expect, it } from 'vitest';
import type { EventRecord } from '#event';
import type { ConsumerRecord, RecordBatch } from '#kafka';
import {
  compilePipeline,
  sourceEvent,
  type CompiledPipeline,
  type OperatorJson,
  type PipelineEvent,
} from '#features/pipelines/computation';
import { JobConfiguration } from './job-configuration.js';
import { KeyedStageTask, type KeyedStageTaskOptions } from './keyed-stage-task.js';
import { PartitionRowCache, RowCacheBudget } from '../state/partition-row-cache.js';
import { recordOf, topics } from '../pipelines.fixture.js';
import { eventLoopRoundsDuring } from '../event-loop-rounds.fixture.js';
import type { OutputBuffer } from '../output/output-buffer.js';
import { encodeRepartitionedEvent, readStageRecord, watermarkRecords } from '../output/stage-record.js';

const costly = 'event.data.l.all(a, event.data.l.all(b, event.data.l.all(c, c >= 0)))';

/** A task of the first stage of a pipeline, and its batches: events of one key, or encoded records. */
function given(
  pipeline: CompiledPipeline,
  more: { erasures?: object; mostRows?: number; write?: (output: OutputBuffer) => void } = {},
) {
  const topic = topics.ofStream('orders#1');
  const label = {
    name: 'p',
    version: 1,
    id: 'a'.repeat(24),
    streams: () => ['orders'],
    sourceIds: '',
    idOf: (name: string) => name,
  };
  const run = new JobConfiguration(label, pipeline, {
    sources: new Map([['orders', 1]]),
    topics: new Map(pipeline.stages.map(({ id }) => [id, { topic, partitions: 1 }])),
  });
  const source = { load: () => Promise.resolve([]), due: () => Promise.resolve([]) };
  const rows = new PartitionRowCache(
    { complete: true, closedTo: -Infinity },
    {
      source,
      budget: new RowCacheBudget({ keys: 100, weight: 1e6 }),
    },
  );
  const task = new KeyedStageTask({
    ...{ stage: pipeline.stages[0]!.id, rows, current: () => run, now: () => 0 },
    state: {
      ...{ place: { partition: 0 }, next: 0, watermark: 0, state: '' },
      ended: new AbortController().signal,
      ...{ done: () => undefined, advance: () => undefined },
    },
    sink: { write: (output: OutputBuffer) => Promise.resolve(more.write?.(output)) },
    erasures: more.erasures,
    mostRows: more.mostRows,
    permit: () => Promise.resolve(() => undefined),
  } as unknown as KeyedStageTaskOptions);
  const valueOf = (event: EventRecord, offset: number) => {
    const flow = sourceEvent({ ...event, stream: 'orders', partition: 0, offset });
    const forwarded = { source: 'orders/0', offset, index: 0, path: '', watermark: 0, flow };
    return Buffer.from(encodeRepartitionedEvent(forwarded));
  };
  const batch = (all: readonly (EventRecord | Buffer)[]): RecordBatch => {
    const records = all.map((one, offset) => ({
      ...{ topic, partition: 0, offset, timestamp: 0, headers: {}, key: Buffer.from('e') },
      value: Buffer.isBuffer(one) ? one : valueOf(one, offset),
    }));
    return { topic, partition: 0, records, bytes: 0, next: all.length, highWatermark: all.length };
  };
  return { task, rows, batch };
}

it('a partition of a window yields to other work between events that are expensive to fold', async () => {
  const operators: OperatorJson[] = [
    { window: { tumbling: '1m', key: 'event.entity_id', lateness: '0s' } },
    { reduce: { n: { op: 'sum', value: `${costly} ? 1 : 0` } } },
    { emit: { stream: 'out' } },
  ];
  const { task, rows, batch } = given(
    compilePipeline({ source: { streams: ['orders'] }, operators, from: 'beginning' }),
  );
  const events = [0, 1, 2, 3, 4].map((id) => recordOf({ id, data: { l: [...Array(60).keys()] } }));
  expect(await eventLoopRoundsDuring(() => task.take(batch(events)))).toBeGreaterThanOrEqual(4);
  expect(rows.size).toBe(1);
});

it('an event that would add an entry to a full state fails, and others continue', async () => {
  const operators: OperatorJson[] = [
    { window: { tumbling: '1m', key: 'event.entity_id', lateness: '0s' } },
    { reduce: { n: { op: 'count' } } },
    { emit: { stream: 'out' } },
  ];
  const letters: string[] = [];
  const { task, rows, batch } = given(
    compilePipeline({ source: { streams: ['orders'] }, operators, from: 'beginning' }),
    {
      mostRows: 2,
      write: (output) => letters.push(...output.letters.map(({ error, offset }) => `${offset}: ${error}`)),
    },
  );
  await task.take(batch([0, 60, 120, 1].map((at, id) => recordOf({ id, at }))));
  expect([rows.count, rows.settledCount]).toEqual([2, 0]);
  expect(letters).toEqual([expect.stringMatching(/^2: .*keys and windows in the partition/) as string]);
});

it('the results after one of an erased entity keep their positions, so that the next stage loses and repeats none', async () => {
  const expected = {
    ...{ after: 'event.event_type == "order.placed"', event: 'false' },
    ...{ key: 'event.event_type', within: '1s', as: 'missing' },
  };
  const pipeline = compilePipeline({
    source: { streams: ['orders'] },
    operators: [
      { expect: expected },
      { dedupe: { key: 'event.event_id', within: '1s' } },
      { emit: { stream: 'out' } },
    ],
    from: 'beginning',
  });
  const positions = async (erased: string[]): Promise<unknown[]> => {
    const found: unknown[] = [];
    const { task, batch } = given(pipeline, {
      erasures: { include: ({ event }: PipelineEvent) => erased.includes(event.entity_id!) },
      write: (output) => {
        for (const { value } of output.takeRecords().forwards) {
          const record = { key: Buffer.from('k'), value: Buffer.from(String(value)) } as ConsumerRecord;
          const { index, flow } = readStageRecord(record)!.forwarded!;
          found.push([flow.event.entity_id, index]);
        }
      },
    });
    const { timestamp } = recordOf({ id: 0 });
    const watermark = { source: 'orders/0', next: 3, watermark: timestamp + 3e6, idle: false };
    const control = Buffer.from(watermarkRecords('t', 1, watermark)[0]!.value as string);
    await task.take(batch([...['a', 'b', 'c'].map((entity, id) => recordOf({ id, entity })), control]));
    return found;
  };
  expect(await positions([])).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 2],
  ]);
  expect(await positions(['b'])).toEqual([
    ['a', 0],
    ['c', 2],
  ]);
});
