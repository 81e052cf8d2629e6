import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { permitsStream } from '#api';
import { pipelineStreams, type PipelineDefinition } from '#features/pipelines/definition';
import { type Definitions } from '#registry';
import { CreatableDefinitions } from '#gateway-kit';
import './pipeline-problems.js';

/**
 * Reads and changes pipelines, as far as the caller may see every stream that they read or write, directly or through
 * projections that they look up. When a projection has been deleted, nobody knows which streams it read: a pipeline that
 * looks it up is visible only to callers whose access is not limited to certain streams.
 */
@Injectable()
export class VisiblePipelines extends CreatableDefinitions<PipelineDefinition> {
  constructor(
    @Inject(DEFINITIONS) { pipelines, projections }: Pick<Definitions, 'pipelines' | 'projections'>,
  ) {
    super({
      what: 'pipeline',
      kind: pipelines,
      permits: ({ spec }, access) => {
        const { streams, isComplete } = pipelineStreams(spec, projections);
        if (!isComplete && access.patterns !== undefined) return false;
        return [...streams].every((stream) => permitsStream(access, stream));
      },
    });
  }
}
