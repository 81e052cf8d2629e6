import { parseTime } from '#json';
import type { EventFromKafka } from '#event';
import { compilePipeline } from './compile-pipeline.js';
import { sourceEvent } from './flow/lazily-parsed-event.js';
import type {
  PipelineEvent,
  OperatorOutcome,
  CompiledPipeline,
  GetProjectionState,
} from './flow/pipeline.js';
import type { OperatorJson } from './operators/operator.js';

/**
 * Returns an event with raw JSON as its data. The offset of the event decides its time: events are one second apart.
 */
export function logEvent(data = '{}', fields: Partial<EventFromKafka> = {}): EventFromKafka {
  const offset = fields.offset ?? 0;
  const timestamp = fields.timestamp ?? (parseTime('2026-11-21T04:00:00Z') as number) + offset * 1_000_000;
  return {
    event_id: '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11',
    stream: 'orders',
    event_type: 'order.placed',
    entity_id: 'order-17',
    timestamp,
    ingested_at: timestamp + 250_000,
    schema_version: 3,
    metadata: '{"trace":"t-1"}',
    partition: 0,
    offset,
    ...fields,
    data,
  };
}

/** Returns the event of `logEvent` as a pipeline event, as if it came from a source partition. */
export function flowOf(data = '{}', fields: Partial<EventFromKafka> = {}): PipelineEvent {
  return sourceEvent(logEvent(data, fields));
}

/** Returns a pipeline that runs these operators on the stream `orders`. */
export function pipelineOf(...operators: OperatorJson[]): CompiledPipeline {
  return compilePipeline({ source: { streams: ['orders'] }, operators, from: 'beginning' });
}

const noTables: GetProjectionState = () => null;

/** Returns the outcomes of an event with this data in the first stage of a pipeline with these operators. */
export function outcomesOf(
  operators: OperatorJson[],
  data: string,
  tables = noTables,
): readonly OperatorOutcome[] {
  return pipelineOf(...operators).source.chain.run(flowOf(data), tables);
}
