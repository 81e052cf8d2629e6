import { permitsStream, ProblemError, type StreamAccess } from '#api';
import { pipelineStreams, type Definitions, type PipelineDefinition, type PipelineWay } from '#registry';

/** Who asks, and where the projections are that pipelines ask. */
export interface PipelineViewer {
  access: StreamAccess;
  projections: Pick<Definitions['projections'], 'get'>;
}

/**
 * The pipeline that was named, for a request that may see it. One that may not be seen is answered as if it did not
 * exist.
 * @throws ProblemError 404 `pipeline_not_found`
 */
export function permittedPipeline(
  definition: PipelineDefinition | undefined,
  viewer: PipelineViewer,
): PipelineDefinition {
  if (definition && permitsPipeline(definition, viewer)) return definition;
  const detail = 'There is no such pipeline; GET /api/v1/pipelines lists those that you may see.';
  throw new ProblemError('pipeline_not_found', detail);
}

/**
 * Whether all that a pipeline reads, asks projections about and writes to may be seen. Where a projection is gone, nobody
 * knows what it folded: then only those see the pipeline who are not limited to streams.
 */
export function permitsPipeline({ spec }: PipelineWay, { access, projections }: PipelineViewer): boolean {
  const { streams, isComplete } = pipelineStreams(spec, projections);
  if (!isComplete && access.patterns !== undefined) return false;
  return [...streams].every((stream) => permitsStream(access, stream));
}
