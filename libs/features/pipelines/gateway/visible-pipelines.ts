import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { permitsStream, type StreamAccess } from '#api';
import { pipelineStreams, type Definitions, type PipelineDefinition, type LoopCandidate } from '#registry';
import { VisibleDefinitions } from '#gateway-kit';
import './pipeline-problems.js';

type AskedProjections = Pick<Definitions['projections'], 'get'>;

/**
 * Whether a caller may see every stream that a pipeline reads or writes, directly or through projections that it looks
 * up. When a projection has been deleted, nobody knows which streams it read: a pipeline that looks it up is visible
 * only to callers whose access is not limited to certain streams.
 */
export function permitsPipeline(
  { spec }: LoopCandidate,
  access: StreamAccess,
  projections: AskedProjections,
): boolean {
  const { streams, isComplete } = pipelineStreams(spec, projections);
  if (!isComplete && access.patterns !== undefined) return false;
  return [...streams].every((stream) => permitsStream(access, stream));
}

/** Reads and changes pipelines, as far as the caller may see every stream that they use. */
@Injectable()
export class VisiblePipelines extends VisibleDefinitions<PipelineDefinition> {
  constructor(
    @Inject(DEFINITIONS) { pipelines, projections }: Pick<Definitions, 'pipelines' | 'projections'>,
  ) {
    super({
      what: 'pipeline',
      kind: pipelines,
      permits: (definition, access) => permitsPipeline(definition, access, projections),
    });
  }
}
