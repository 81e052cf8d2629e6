import { effectsOf, sourceStreams, type PipelineSpec } from '#features/pipelines/computation';
import { type ProjectionDefinition, projectionStreams } from '#features/projections/definition';

/** The streams whose events may appear in a pipeline's output, counts and dead letters. */
interface PipelineStreams {
  streams: ReadonlySet<string>;
  /**
   * False if a projection that the pipeline reads no longer exists, so that the streams of that projection are unknown.
   */
  isComplete: boolean;
}

/**
 * Returns the streams that a pipeline reads, the streams of the projections that it looks up, and the streams that it
 * writes to.
 */
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
    streams: new Set([...sourceStreams(spec).keys(), ...folded, ...written]),
    isComplete: !asked.includes(undefined),
  };
}
