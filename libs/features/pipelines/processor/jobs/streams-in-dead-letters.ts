import { pipelineStreams } from '#features/pipelines/definition';
import { type Definitions } from '#registry';
import type { PipelineSpec } from '#features/pipelines/computation';

/**
 * The streams whose events can appear in the dead letters of a job: the job's sources, its targets, and the sources of
 * the projections that the pipeline looks up. A stream that the pipeline used before stays in the set, because windows
 * may still have data of that stream.
 */
export class StreamsInDeadLetters {
  private readonly used = new Set<string>();

  constructor(private readonly projections: Pick<Definitions['projections'], 'get'>) {}

  /**
   * Returns the streams that the current definitions of the pipeline and its projections name, and the streams that
   * earlier definitions named. Returns no stream if the pipeline looks up a projection that does not exist: then only
   * API keys for all streams may read the dead letters.
   */
  of(spec: PipelineSpec): readonly string[] {
    const { streams, isComplete } = pipelineStreams(spec, this.projections);
    for (const stream of streams) this.used.add(stream);
    return isComplete ? [...this.used] : [];
  }
}
