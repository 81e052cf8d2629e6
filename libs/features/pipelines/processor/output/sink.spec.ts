import { beforeEach, describe, expect, it } from 'vitest';
import { KafkaOrClickHouseRetrier, FencedError } from '#engine';
import { systemActor } from '#registry';
import type { ProducerRecord } from '#kafka';
import { compilePipeline, sourceEvent } from '#features/pipelines/computation';
import { createLogger } from '#telemetry';
import { PipelineTestBed, recordOf, topics, uuid } from '../pipelines.fixture.js';
import { EmittedEventValidator } from './emitted-event-validator.js';
import type { JobIdentity } from './emitted-record.js';
import { OutputBuffer } from './output-buffer.js';
import type { OutputDeduplication } from './output-deduplication.js';
import { Sink } from './sink.js';
import { TargetStreamCreator } from './target-stream-creator.js';

const run: JobIdentity = {
  name: 'p',
  version: 1,
  id: 'a'.repeat(24),
  streams: () => [],
  sourceIds: '',
  idOf: () => '',
};
const signal = new AbortController().signal;
const operators = [{ emit: { stream: 'out' } }];
const {
  source: { chain },
  steps,
} = compilePipeline({ source: { streams: ['orders'] }, operators, from: 'beginning' });

let schemas: EmittedEventValidator;
let world: PipelineTestBed;
let sink: Sink;
let appended: ProducerRecord[];

const sinkTo = (streams: TargetStreamCreator): Sink =>
  new Sink({
    ...{ topics, streams, now: () => 0 },
    schemas,
    retry: new KafkaOrClickHouseRetrier({
      logger: createLogger({ name: 'test', level: 'silent' }),
      failedAttempt: () => undefined,
    }),
    producer: { append: (records) => Promise.resolve(void appended.push(...records)).then(() => []) },
    webhooks: { deliver: () => Promise.resolve([]) },
  });

beforeEach(async () => {
  world = await PipelineTestBed.make();
  appended = [];
  schemas = new EmittedEventValidator(world.definitions);
  sink = sinkTo(new TargetStreamCreator(world.definitions));
  await world.definitions.createStream({ stream: 'out' }, systemActor);
});

/** Returns the outputs of the events with these numbers, which wait to be written. */
function outputsOf(ids: readonly number[], before?: Pick<OutputDeduplication, 'among'>): OutputBuffer {
  const output = new OutputBuffer({
    ...{ run, steps, source: 'orders/0', now: () => 0, before: before as OutputDeduplication | undefined },
    topicOf: () => ({ topic: '', partitions: 1 }),
    encode: (emit) => sink.encode(emit, run),
  });
  ids.forEach((id, offset) => {
    const flow = sourceEvent({ ...recordOf({ id }), stream: 'orders', partition: 0, offset });
    for (const outcome of chain.run(flow, () => null))
      output.add(outcome, { offset, watermark: 0, index: 0 });
  });
  return output;
}

const sourcesOf = (records: readonly ProducerRecord[]) =>
  records.map(({ value }) => (JSON.parse(value!) as { metadata: object }).metadata);

describe('an event whose stream exists when it is emitted', () => {
  it('is encoded at once, and written in the order of emission', async () => {
    const output = outputsOf([1, 2, 3]);
    expect(output.emits.map(({ record }) => record?.value)).not.toContain(undefined);
    await sink.write(output, run, signal);
    expect(sourcesOf(appended)).toMatchObject([1, 2, 3].map((id) => ({ source_event_id: uuid(id) })));
    expect(output.counts).toMatchObject({ emitted: 3, failed: 0 });
  });

  it('is not written if the previous owner of the partition has written it', async () => {
    const among: OutputDeduplication['among'] = (_stream, ids) => Promise.resolve(new Set([ids[1]!]));
    await sink.write(outputsOf([1, 2, 3], { among }), run, signal);
    expect(sourcesOf(appended)).toMatchObject([1, 3].map((id) => ({ source_event_id: uuid(id) })));
  });

  it('is written to a new stream of the name if the stream is deleted before the batch is written', async () => {
    const old = world.definitions.stream('out')!.id;
    const output = outputsOf([1, 2]);
    await world.definitions.deleteStream('out', () => Promise.resolve(), systemActor);
    await sink.write(output, run, signal);
    const { id } = world.definitions.stream('out')!;
    expect(id).not.toBe(old);
    expect(appended.map(({ topic }) => topic)).toEqual([topics.ofStream(id), topics.ofStream(id)]);
  });

  it('is computed again if its event type gets a schema before the batch is written', async () => {
    const output = outputsOf([1]);
    schemas.has = () => true;
    await expect(sink.write(output, run, signal)).rejects.toThrow(FencedError);
    expect(appended).toEqual([]);
    expect(output.letters).toEqual([]);
  });

  it('is computed again if its stream is deleted and cannot be created', async () => {
    const output = outputsOf([1]);
    const streams = new TargetStreamCreator(world.definitions);
    const gone = { isThere: () => false, ensure: () => Promise.resolve('there are too many streams') };
    sink = sinkTo(Object.assign(streams, gone));
    await expect(sink.write(output, run, signal)).rejects.toThrow(FencedError);
    expect(appended).toEqual([]);
    expect(output.letters).toEqual([]);
  });
});

describe('an event whose stream does not exist when it is emitted', () => {
  it('is kept, and encoded when the stream is created', async () => {
    await world.definitions.deleteStream('out', () => Promise.resolve(), systemActor);
    const output = outputsOf([1]);
    expect(output.emits).toMatchObject([{ at: '/operators/0/emit', stream: 'out' }]);
    await sink.write(output, run, signal);
    expect(appended).toHaveLength(1);
  });
});
