import { expect, it } from 'vitest';
import type { ProjectionDefinition } from '#features/projections/definition';
import type { PipelineSpec } from '#features/pipelines/computation';
import { StreamsInDeadLetters } from './streams-in-dead-letters.js';

const spec: PipelineSpec = {
  source: { streams: ['orders'] },
  operators: [
    { enrich: { from: { projection: 'customers' }, key: 'event.entity_id', as: 'customer' } },
    { emit: { stream: 'out' } },
  ],
  from: 'beginning',
};

it('includes the sources of projections that a pipeline looks up, and is empty if one does not exist', () => {
  const customers = {
    serving: { spec: { source: { streams: ['hidden'] } } },
    building: null,
  } as unknown as ProjectionDefinition;
  let projection: ProjectionDefinition | undefined = customers;
  const shown = new StreamsInDeadLetters({ get: () => projection });
  expect([...shown.of(spec)].sort()).toEqual(['hidden', 'orders', 'out']);
  projection = undefined;
  expect(shown.of(spec)).toEqual([]);
  expect(new StreamsInDeadLetters({ get: () => undefined }).of(spec)).toEqual([]);
});
