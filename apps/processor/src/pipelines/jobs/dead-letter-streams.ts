import { pipelineStreams, type Definitions } from '#registry';
import type { PipelineSpec } from '#dataflow';

/**
 * The streams whose events can appear in the dead letters of a job: its sources, its targets, and the sources of the
 * projections that it looks up. A stream that the pipeline used before remains in the set, because windows may still
 * have data from it.
 */
export class DeadLetterStreams {
  private readonly used = new Set<string>();

  constructor(private readonly projections: Pick<Definitions['projections'], 'get'>) {}

  /**
   * Returns the streams of the current definitions of the pipeline and its projections, and those that it used before.
   * Returns no stream if a projection that it looks up does not exist. Only API keys for all streams then see its dead
   * letters.
   */
  of(spec: PipelineSpec): readonly string[] {
    const { streams, isComplete } = pipelineStreams(spec, this.projections);
    for (const stream of streams) this.used.add(stream);
    return isComplete ? [...this.used] : [];
  }
}
