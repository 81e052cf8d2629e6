import { beforeEach, describe, expect, it } from 'vitest';
import { KafkaOrClickHouseRetrier } from '#engine';
import { systemActor } from '#registry';
import type { ProducerRecord } from '#kafka';
import type { DeadLetter } from '#store';
import {
  compilePipeline,
  pipelineLimits,
  sourceEvent,
  type OperatorJson,
} from '#features/pipelines/computation';
import { createLogger } from '#telemetry';
import type { PendingWebhookDelivery } from '#features/webhooks';
import { EmittedEventValidator } from '../output/emitted-event-validator.js';
import { Sink } from '../output/sink.js';
import { OutputBuffer } from '../output/output-buffer.js';
import { PipelineTestBed, recordOf, topics } from '../pipelines.fixture.js';
import { eventLoopRoundsDuring } from '../event-loop-rounds.fixture.js';
import { BatchComputation } from './batch-computation.js';
import { TargetStreamCreator } from '../output/target-stream-creator.js';

const mebibyte = 1024 * 1024;
/** Maximum size of waiting outputs in characters: the limit, plus the outputs of one more event. */
const most = 4 * mebibyte + 100_000;
const parts = { flat_map: { list: 'event.data.parts', as: 'part' } };
const long = 'x'.repeat(50_000);
/** Ten events, each of which yields ten events of 50 000 characters: 5 MB together. */
const inputs = Array.from({ length: 10 }, (_, offset) => {
  const record = recordOf({ id: offset, data: { long, parts: [...Array(10).keys()] } });
  const event = { ...record, stream: 'orders', partition: 0, offset };
  return { flow: sourceEvent(event), offset, watermark: 0, index: 0 };
});
const run = {
  ...{ name: 'p', version: 1, id: 'a'.repeat(24) },
  streams: () => ['orders'],
  sourceIds: '',
  idOf: (name: string) => name,
};
const grown = Array.from({ length: 10 }, () => inputs).flat();
const signal = new AbortController().signal;

let appended: (readonly ProducerRecord[])[];
let delivered: (readonly PendingWebhookDelivery[])[];
let saved: (readonly DeadLetter[])[];
let turns: number;
let turnsWhileDelivering: number[];

beforeEach(() => {
  [appended, delivered, saved, turns, turnsWhileDelivering] = [[], [], [], 0, []];
});

/**
 * Computes a batch of 100 events with these operators; the outputs of the batch have 50 MB. Resolves with the remaining
 * outputs.
 */
const computed = (...operators: OperatorJson[]) => computedOver(grown, operators);

async function computedOver(events: typeof inputs, operators: OperatorJson[]): Promise<OutputBuffer> {
  const world = await PipelineTestBed.make();
  const { definitions } = world;
  await definitions.createStream({ stream: 'out' }, systemActor);
  const pipeline = compilePipeline({ source: { streams: ['orders'] }, operators, from: 'beginning' });
  const sink = new Sink({
    ...{ topics, now: () => 0, streams: new TargetStreamCreator(definitions) },
    schemas: new EmittedEventValidator(definitions),
    retry: new KafkaOrClickHouseRetrier({
      logger: createLogger({ name: 'test', level: 'silent' }),
      failedAttempt: () => undefined,
    }),
    producer: {
      append: (records) => {
        appended.push(records);
        return world.producer.append(records);
      },
    },
    webhooks: {
      deliver: (deliveries) => {
        delivered.push(deliveries);
        turnsWhileDelivering.push(turns);
        return Promise.resolve(deliveries.map(() => undefined));
      },
    },
  });
  const output = new OutputBuffer({
    steps: pipeline.steps,
    ...{
      run,
      source: 'orders/0',
      now: () => 0,
    },
    topicOf: () => ({ topic: world.topicOf('orders'), partitions: 2 }),
    encode: (emit) => sink.encode(emit, run),
  });
  const writing = new BatchComputation(output, run, {
    ...{ sink, state: { ended: signal }, load: () => Promise.resolve(), waitFor: () => Promise.resolve() },
    saveDeadLetters: (letters) => Promise.resolve(void saved.push(letters)),
    permit: () => {
      turns++;
      let over = false;
      return Promise.resolve(() => {
        if (!over) turns--;
        over = true;
      });
    },
  });
  await writing.compute(() => writing.take(pipeline.source.chain, events));
  await world.close();
  return output;
}

const charactersOf = (texts: readonly (string | null)[]) =>
  texts.reduce((total, text) => total + (text?.length ?? 0), 0);

describe('The outputs of a batch', () => {
  it('are emitted before too many of them wait', async () => {
    await computed(parts, { emit: { stream: 'out' } });
    expect(appended.flat()).toHaveLength(1000);
    expect(Math.max(...appended.map((some) => charactersOf(some.map(({ value }) => value))))).toBeLessThan(
      most,
    );
  });

  it('are repartitioned before too many of them wait', async () => {
    await computed(parts, { dedupe: { key: 'event.event_id', within: '1m' } }, { emit: { stream: 'out' } });
    expect(appended.flat()).toHaveLength(1000);
    expect(Math.max(...appended.map((some) => charactersOf(some.map(({ value }) => value))))).toBeLessThan(
      2 * most,
    );
    expect(appended.length).toBeGreaterThan(10);
  });

  it('become dead letters if they exceed the record size of internal topics, because Kafka would always reject them', async () => {
    const data = `{"long":"${'x'.repeat(pipelineLimits.recordBytes)}"}`;
    const [{ flow, ...cause }] = inputs as [(typeof inputs)[0]];
    const large = { ...cause, flow: { ...flow, event: { ...flow.event, data } } };
    const operators = [{ dedupe: { key: 'event.event_id', within: '1m' } }, { emit: { stream: 'out' } }];
    const { letters, counts } = await computedOver([large, ...inputs], operators);
    expect(appended.flat()).toHaveLength(10);
    expect([...saved.flat(), ...letters]).toMatchObject([
      { reason: 'operator_failed', step: { operator: '/operators/0/dedupe' } },
    ]);
    expect(counts.failed).toBe(1);
  });

  it('are delivered to webhooks before too many of them wait, and other partitions compute meanwhile', async () => {
    await computed(parts, { webhook: { url: 'https://example.com/hook', secret_ref: 's' } });
    expect(delivered.flat()).toHaveLength(1000);
    expect(Math.max(...delivered.map((some) => charactersOf(some.map(({ body }) => body))))).toBeLessThan(
      most,
    );
    expect(new Set(turnsWhileDelivering)).toEqual(new Set([0]));
    expect(turns).toBe(0);
  });

  it('are computed with yields to other work between expensive events', async () => {
    const costly = 'event.data.l.all(a, event.data.l.all(b, event.data.l.all(c, c >= 0)))';
    const expensive = Array.from({ length: 5 }, (_, offset) => {
      const record = recordOf({ id: offset, data: { l: [...Array(60).keys()] } });
      const event = { ...record, stream: 'orders', partition: 0, offset };
      return { flow: sourceEvent(event), offset, watermark: 0, index: 0 };
    });
    const rounds = await eventLoopRoundsDuring(() =>
      computedOver(expensive, [{ filter: costly }, { emit: { stream: 'out' } }]),
    );
    const cheap = await eventLoopRoundsDuring(() =>
      computedOver(expensive, [{ filter: 'true' }, { emit: { stream: 'out' } }]),
    );
    expect(rounds - cheap).toBeGreaterThanOrEqual(4);
  });

  it('are saved as dead letters before too many of them wait, and are counted once', async () => {
    const { letters, counts } = await computed(
      parts,
      { filter: 'event.data.part > "a"' },
      { emit: { stream: 'out' } },
    );
    expect([...saved.flat(), ...letters]).toHaveLength(1000);
    for (const some of [...saved, letters])
      expect(charactersOf(some.map(({ event }) => event))).toBeLessThan(most);
    expect(counts.failed).toBe(1000);
  });
});
