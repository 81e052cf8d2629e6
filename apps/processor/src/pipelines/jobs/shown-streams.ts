import { pipelineStreams, type Definitions } from '#registry';
import type { PipelineSpec } from '#dataflow';

/**
 * The streams whose events can show in the dead letters of a job: those that the pipeline reads, asks projections about
 * and writes to. A stream that the pipeline has used stays among them, because windows still hold what came of it.
 */
export class ShownStreams {
  private readonly used = new Set<string>();

  constructor(private readonly projections: Pick<Definitions['projections'], 'get'>) {}

  /**
   * Returns the streams of the pipeline as it and its projections are defined now, and those it used before. None
   * where a projection that it asks does not exist: only keys for all streams see such letters.
   */
  of(spec: PipelineSpec): readonly string[] {
    const { streams, isComplete } = pipelineStreams(spec, this.projections);
    for (const stream of streams) this.used.add(stream);
    return isComplete ? [...this.used] : [];
  }
}
