import { pipelineStreams, type Definitions } from '#registry';
import type { PipelineSpec } from '#dataflow';

/**
 * The streams whose events can show in the dead letters of a run: those that the pipeline reads, asks projections about
 * and writes to. A stream that the pipeline has used stays among them, because windows still hold what came of it.
 */
export class ShownStreams {
  private readonly used = new Set<string>();

  constructor(private readonly projections: Pick<Definitions['projections'], 'get'>) {}

  /** Returns the streams of the pipeline as it and its projections are defined now, and those it used before. */
  of(spec: PipelineSpec): readonly string[] {
    for (const stream of pipelineStreams(spec, this.projections).streams) this.used.add(stream);
    return [...this.used];
  }
}
