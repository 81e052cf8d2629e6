import {
  stepResults,
  type CountedOperator,
  type EventCountsByOperator,
} from '#features/pipelines/computation';
import { counter } from '#telemetry';

export const pipelineStepEvents = counter('tributary_pipeline_step_events_total', {
  help: 'Events at each operator of a pipeline, by its JSON pointer (path), its name and result: in, out, dropped, late, failed. Events repeated after a crash count again.',
  labelNames: ['pipeline', 'path', 'operator', 'result'],
});

type OperatorMetricLabels = Record<'pipeline' | 'path' | 'operator' | 'result', string>;

/** The metrics of the operators of all pipelines. Each metric series belongs to an operator of a current definition. */
export class OperatorMetrics {
  /** The metric series of each pipeline, by JSON pointer, operator name and result. */
  private readonly series = new Map<string, Map<string, OperatorMetricLabels>>();

  /** @param isDefined returns whether a pipeline with this name exists */
  constructor(private readonly isDefined: (pipeline: string) => boolean) {}

  /**
   * Adds the event counts of a batch to the metrics. Ignores a pipeline that was deleted during the batch, and
   * operators that the pipeline's current definition does not have.
   * @param steps the operators of the current definition
   */
  count(pipeline: string, steps: readonly CountedOperator[], counts: EventCountsByOperator): void {
    if (!this.isDefined(pipeline)) return;
    for (const { path, operator, key } of steps)
      stepResults.forEach((result, i) => {
        const events = counts[key]?.[i] ?? 0;
        if (events > 0) this.add({ pipeline, path, operator, result }, events);
      });
  }

  /** Removes the metric series of the operators that a changed definition no longer has. */
  keep(pipeline: string, steps: readonly CountedOperator[]): void {
    const kept = new Set(steps.map(nameOf));
    this.removeIf(pipeline, (labels) => !kept.has(nameOf(labels)));
  }

  /** Removes all metric series of a pipeline. */
  remove(pipeline: string): void {
    this.removeIf(pipeline, () => true);
    this.series.delete(pipeline);
  }

  private add(labels: OperatorMetricLabels, events: number): void {
    const { pipeline, result } = labels;
    const own = this.series.get(pipeline) ?? new Map<string, OperatorMetricLabels>();
    this.series.set(pipeline, own.set(`${nameOf(labels)} ${result}`, labels));
    pipelineStepEvents.inc(labels, events);
  }

  private removeIf(pipeline: string, isRemoved: (labels: OperatorMetricLabels) => boolean): void {
    const own = this.series.get(pipeline);
    for (const [name, labels] of own ?? [])
      if (isRemoved(labels)) {
        own?.delete(name);
        pipelineStepEvents.remove(labels);
      }
  }
}

function nameOf({ path, operator }: Pick<CountedOperator, 'path' | 'operator'>): string {
  return `${path}/${operator}`;
}
