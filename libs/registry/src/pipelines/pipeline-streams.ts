import { effectsOf, type PipelineSpec } from '#dataflow';
import type { ProjectionDefinition } from '../projections/projection-definition.js';
import { projectionStreams } from '../projections/projection-streams.js';

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
  const effects = effectsOf(spec.operators);
  const written = effects.filter((effect) => effect.kind === 'write').map(({ stream }) => stream);
  const asked = effects
    .filter((effect) => effect.kind === 'ask')
    .map(({ projection }) => projections.get(projection));
  const folded = asked.flatMap((definition) => (definition ? projectionStreams(definition) : []));
  return {
    streams: new Set([...spec.source.streams, ...folded, ...written]),
    isComplete: !asked.includes(undefined),
  };
}
