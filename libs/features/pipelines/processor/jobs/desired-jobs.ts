import { liveSources, recreatedSource, type Definitions } from '#registry';
import { pipelineLoop, type LoopStep, type PipelineDefinition } from '#features/pipelines/definition';
import { compilePipeline, sourceStreams, type CompiledPipeline } from '#features/pipelines/computation';
import { DefinitionError } from '#dataflow';
import type { WebhookDeliverer } from '#features/webhooks';

/** A job that should run, with the current definition of its pipeline. */
export interface DesiredJob {
  definition: PipelineDefinition;
  pipeline: CompiledPipeline;
  /** Number of partitions of each source stream, by stream name; without sources that were deleted or recreated. */
  sources: ReadonlyMap<string, number>;
}

interface SelectedJobs {
  desired: DesiredJob[];
  /** The reasons why jobs cannot run with the current definitions, by job id. */
  invalid: Map<string, string>;
}

/**
 * Selects from the definitions the jobs that should run now. Each definition is compiled once. Pipelines can form a
 * loop if a gateway dies at the wrong moment (decision 0021). Of the jobs in a loop, the job that was started last does
 * not run.
 */
export class DesiredJobSelector {
  private compiled = new Map<string, CompiledPipeline | string>();
  private closing: { among: string; loops: ReadonlyMap<string, string> } = { among: '', loops: new Map() };

  constructor(
    private readonly definitions: Pick<Definitions, 'pipelines' | 'stream'>,
    private readonly webhooks: Pick<WebhookDeliverer, 'missingConfiguration'>,
  ) {}

  now(): SelectedJobs {
    const known = this.compiled;
    this.compiled = new Map();
    const selected: SelectedJobs = { desired: [], invalid: new Map() };
    const candidates: { definition: PipelineDefinition; pipeline: CompiledPipeline }[] = [];
    for (const definition of this.definitions.pipelines.all()) {
      const { paused, failure, run } = definition;
      const identity = identityOf(definition);
      const pipeline = known.get(identity) ?? compiledOrWhyNot(definition);
      this.compiled.set(identity, pipeline);
      if (paused || failure !== null) continue;
      if (typeof pipeline === 'string') selected.invalid.set(run.id, pipeline);
      else candidates.push({ definition, pipeline });
    }
    const loops = this.loopsAmong(candidates.map(({ definition }) => definition));
    for (const { definition, pipeline } of candidates) {
      const reason =
        loops.get(definition.run.id) ?? this.recreatedIn(definition) ?? this.missingConfigurationOf(pipeline);
      if (reason !== undefined) selected.invalid.set(definition.run.id, reason);
      else {
        const live = liveSources(definition.run, this.definitions);
        const sources = new Map(live.map(({ stream, partitions }) => [stream, partitions]));
        selected.desired.push({ definition, pipeline, sources });
      }
    }
    return selected;
  }

  /**
   * Returns the reasons why jobs that close a loop of pipelines cannot run, by job id. The result is cached, because
   * most changes of definitions do not change an active pipeline.
   */
  private loopsAmong(active: readonly PipelineDefinition[]): ReadonlyMap<string, string> {
    const among = active.map(identityOf).sort().join('\n');
    if (among !== this.closing.among) this.closing = { among, loops: loopsOf(active) };
    return this.closing.loops;
  }

  /**
   * Returns the reason why a job cannot run if one of its sources was deleted and created again: the job would skip
   * events of the new stream.
   */
  private recreatedIn({ spec, run }: PipelineDefinition): string | undefined {
    const recreated = recreatedSource(sourceStreams(spec).keys(), run, this.definitions);
    if (!recreated) return undefined;
    return `The stream ${recreated} was deleted and created again. Reset the pipeline to read it, or remove it from the sources.`;
  }

  /**
   * Returns the reason why a job cannot run if this process lacks a setting for one of the job's webhooks. The events
   * wait until the setting exists, and do not become dead letters.
   */
  private missingConfigurationOf({ webhooks }: CompiledPipeline): string | undefined {
    for (const webhook of webhooks) {
      const missing = this.webhooks.missingConfiguration(webhook);
      if (missing !== undefined) return `${webhook.at}: ${missing} Then resume the pipeline.`;
    }
    return undefined;
  }
}

function identityOf({ name, version, run }: PipelineDefinition): string {
  return `${name} ${version} ${run.id}`;
}

/**
 * Returns the reasons why the jobs that close a loop of pipelines cannot run, by job id. The result is the same in
 * every process.
 */
function loopsOf(active: readonly PipelineDefinition[]): Map<string, string> {
  const loops = new Map<string, string>();
  const running: PipelineDefinition[] = [];
  for (const one of [...active].sort(byBeginning)) {
    const loop = pipelineLoop(one, running);
    if (loop) loops.set(one.run.id, describeLoop(loop));
    else running.push(one);
  }
  return loops;
}

function byBeginning(a: PipelineDefinition, b: PipelineDefinition): number {
  const order = (text: string, other: string) => Number(text > other) - Number(text < other);
  return order(a.run.started_at, b.run.started_at) || order(a.name, b.name);
}

/**
 * Describes a loop of pipelines. The text names only streams of the pipeline itself, because a reader of the pipeline
 * may not be allowed to see the other pipelines.
 */
function describeLoop(loop: readonly LoopStep[]): string {
  const [first, last] = [loop[0] as LoopStep, loop.at(-1) as LoopStep];
  const others = loop.length - 1;
  const over =
    others === 0 ? '' : ` through ${others === 1 ? 'another pipeline' : `${others} other pipelines`}`;
  return `The pipeline would feed itself: its output to ${first.to} returns${over} in ${last.to}, which it reads. Change it.`;
}

function compiledOrWhyNot({ spec }: PipelineDefinition): CompiledPipeline | string {
  try {
    return compilePipeline(spec);
  } catch (error) {
    if (error instanceof DefinitionError) return error.message;
    throw error;
  }
}
