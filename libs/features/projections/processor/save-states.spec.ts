import { KafkaOrClickHouseRetrier } from '#engine';
import { createLogger } from '#telemetry';
import { InMemoryTracing } from '#telemetry/memory';
import { expect, it } from 'vitest';
import { partitionProgress } from '../../../core/store/keyed-states.fixture.js';
import type { UnsavedProjectionChanges } from './partition-projector.js';
import { saveStates } from './save-states.js';

it('records spans of traced requests until the states of the projection are saved', async () => {
  const tracing = new InMemoryTracing();
  const saving = {
    ...{ tracing, stopped: new AbortController().signal },
    retry: new KafkaOrClickHouseRetrier({ logger: createLogger({ name: 'test', level: 'silent' }) }),
    writer: { save: async () => undefined, appendDeadLetters: async () => undefined },
  };
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const request = { traceparent, requestId: 'r-1', topic: 't', partition: 0, offset: 5, records: 1 };
  const unsaved: UnsavedProjectionChanges = {
    ...{ letters: [], rows: [], name: 'revenue', saved: () => undefined },
    progress: partitionProgress({ owner: 'b', next: 6, processed: 1 }),
    sampled: [{ ...request, appendedAt: 1000, readAt: 2000 }],
  };

  await saveStates(saving, [unsaved]);

  expect(tracing.spans).toMatchObject([
    { name: 'INSERT projections', kind: 'client' },
    { name: 'project revenue', kind: 'consumer', parentSpanId: '00f067aa0ba902b7', startedAt: 1000 },
  ]);
});
