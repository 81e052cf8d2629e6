import {
  liveSources,
  pipelineLoop,
  recreatedSource,
  type Definitions,
  type LoopStep,
  type PipelineDefinition,
} from '#registry';
import { compilePipeline, DefinitionError, type Pipeline } from '#dataflow';
import type { Deliverer } from '#webhooks';

/** A job that shall run, with what it does now. */
export interface DesiredJob {
  definition: PipelineDefinition;
  pipeline: Pipeline;
  /** Partitions of those of its sources that are the streams that they were. */
  sources: ReadonlyMap<string, number>;
}

export interface DesiredJobs {
  desired: DesiredJob[];
  /** Why others cannot run, by id. */
  invalid: Map<string, string>;
}

/**
 * Reads the definitions: which jobs shall run now. A definition is compiled once. A gateway that dies at the wrong moment
 * leaves a loop (decision 0021): of its pipelines the one whose run began last is not run.
 */
export class JobSelection {
  private compiled = new Map<string, Pipeline | string>();
  private closing: { among: string; loops: ReadonlyMap<string, string> } = { among: '', loops: new Map() };

  constructor(
    private readonly definitions: Pick<Definitions, 'pipelines' | 'stream'>,
    private readonly webhooks: Pick<Deliverer, 'missingConfiguration'>,
  ) {}

  now(): DesiredJobs {
    const known = this.compiled;
    this.compiled = new Map();
    const runs: DesiredJobs = { desired: [], invalid: new Map() };
    const able: { definition: PipelineDefinition; pipeline: Pipeline }[] = [];
    for (const definition of this.definitions.pipelines.all()) {
      const { paused, failure, run } = definition;
      const identity = identityOf(definition);
      const pipeline = known.get(identity) ?? compiledOrWhyNot(definition);
      this.compiled.set(identity, pipeline);
      if (paused || failure !== null) continue;
      if (typeof pipeline === 'string') runs.invalid.set(run.id, pipeline);
      else able.push({ definition, pipeline });
    }
    const loops = this.loopsAmong(able.map(({ definition }) => definition));
    for (const { definition, pipeline } of able) {
      const reason =
        loops.get(definition.run.id) ?? this.recreatedIn(definition) ?? this.missingConfigurationOf(pipeline);
      if (reason !== undefined) runs.invalid.set(definition.run.id, reason);
      else runs.desired.push({ definition, pipeline, sources: this.sourcesOf(definition) });
    }
    return runs;
  }

  /** Why those that close a loop cannot be run, by run. Definitions of other kinds change more often than these. */
  private loopsAmong(active: readonly PipelineDefinition[]): ReadonlyMap<string, string> {
    const among = active.map(identityOf).sort().join('\n');
    if (among !== this.closing.among) this.closing = { among, loops: loopsOf(active) };
    return this.closing.loops;
  }

  private recreatedIn({ spec, run }: PipelineDefinition): string | undefined {
    const recreated = recreatedSource({ spec, sources: run.sources }, this.definitions);
    return (
      recreated &&
      `The stream ${recreated} was deleted and created again. Reset the pipeline to read it, or take it out.`
    );
  }

  /**
   * Settings that are missing keep a job from beginning: what would have been delivered is not lost to the dead letters, but
   * delivered once they are there.
   */
  private missingConfigurationOf({ webhooks }: Pipeline): string | undefined {
    for (const webhook of webhooks) {
      const missing = this.webhooks.missingConfiguration(webhook);
      if (missing !== undefined) return `${webhook.at}: ${missing} Then resume the pipeline.`;
    }
    return undefined;
  }

  private sourcesOf({ run }: PipelineDefinition): Map<string, number> {
    return new Map(liveSources(run, this.definitions).map(({ stream, partitions }) => [stream, partitions]));
  }
}

function identityOf({ name, version, run }: PipelineDefinition): string {
  return `${name} ${version} ${run.id}`;
}

/** Every process finds the same. */
function loopsOf(active: readonly PipelineDefinition[]): Map<string, string> {
  const loops = new Map<string, string>();
  const running: PipelineDefinition[] = [];
  for (const one of [...active].sort(byBeginning)) {
    const loop = pipelineLoop(one, running);
    if (loop) loops.set(one.run.id, wayOf(loop));
    else running.push(one);
  }
  return loops;
}

function byBeginning(a: PipelineDefinition, b: PipelineDefinition): number {
  const order = (text: string, other: string) => Number(text > other) - Number(text < other);
  return order(a.run.started_at, b.run.started_at) || order(a.name, b.name);
}

/** Who sees a pipeline sees its own streams; what belongs to others is not named. */
function wayOf(loop: readonly LoopStep[]): string {
  const [first, last] = [loop[0] as LoopStep, loop.at(-1) as LoopStep];
  const others = loop.length - 1;
  const over = others === 0 ? '' : ` over ${others === 1 ? 'another pipeline' : `${others} other pipelines`}`;
  return `It would feed itself: what it writes to ${first.to} comes back${over} in ${last.to}, which it reads. Change it.`;
}

function compiledOrWhyNot({ spec }: PipelineDefinition): Pipeline | string {
  try {
    return compilePipeline(spec);
  } catch (error) {
    if (error instanceof DefinitionError) return error.message;
    throw error;
  }
}
