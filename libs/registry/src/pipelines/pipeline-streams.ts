import type { PipelineSpec } from '#dataflow';
import type { ProjectionDefinition } from '../projections/projection-definition.js';
import { projectionStreams } from '../projections/projection-streams.js';
import { pipelineWrites } from './pipeline-loop.js';
import { placedOperators } from './placed-operators.js';

/** The streams whose events can show in what a pipeline emits, counts and fails on. */
export interface PipelineStreams {
  streams: ReadonlySet<string>;
  /** False where a projection that the pipeline asks is gone: nobody can say which streams it folded. */
  isComplete: boolean;
}

/** Returns what a pipeline reads, what the projections that it asks fold, and what it writes to. */
export function pipelineStreams(
  spec: PipelineSpec,
  projections: { get(name: string): ProjectionDefinition | undefined },
): PipelineStreams {
  const asked = askedProjections(spec).map(({ projection }) => projections.get(projection));
  const folded = asked.flatMap((definition) => (definition ? projectionStreams(definition) : []));
  return {
    streams: new Set([...spec.source.streams, ...folded, ...pipelineWrites(spec)]),
    isComplete: !asked.includes(undefined),
  };
}

/** Returns the projections that a pipeline asks, each with the pointer to where the definition names it. */
export function askedProjections({
  operators,
}: Pick<PipelineSpec, 'operators'>): { projection: string; pointer: string }[] {
  return placedOperators(operators).flatMap(({ at, operator }) =>
    'enrich' in operator && 'projection' in operator.enrich.from
      ? [{ projection: operator.enrich.from.projection, pointer: `${at}/enrich/from/projection` }]
      : [],
  );
}
