import type { Definitions, PipelineDefinition } from '#definitions';
import { compilePipeline, DefinitionError, type Pipeline } from '#streaming';
import type { Deliverer } from '#webhooks';

/** A run that shall run, with what it does now. */
export interface WantedRun {
  definition: PipelineDefinition;
  pipeline: Pipeline;
  /** Partitions of those of its sources that are the streams that they were. */
  sources: ReadonlyMap<string, number>;
}

export interface WantedRuns {
  wanted: WantedRun[];
  impossible: { run: string; reason: string }[];
}

/** Reads the definitions: which runs shall run now. A definition is compiled once. */
export class RunSelection {
  private compiled = new Map<string, Pipeline | string>();

  constructor(
    private readonly definitions: Pick<Definitions, 'pipelines' | 'stream'>,
    private readonly webhooks: Pick<Deliverer, 'hindrance'>,
  ) {}

  now(): WantedRuns {
    const known = this.compiled;
    this.compiled = new Map();
    const runs: WantedRuns = { wanted: [], impossible: [] };
    for (const definition of this.definitions.pipelines.all()) {
      const { name, version, run } = definition;
      const identity = `${name} ${version} ${run.id}`;
      const pipeline = known.get(identity) ?? compiledOrWhyNot(definition);
      this.compiled.set(identity, pipeline);
      if (definition.paused || definition.failure !== null) continue;
      const reason = typeof pipeline === 'string' ? pipeline : this.hindranceOf(pipeline);
      if (reason !== undefined) runs.impossible.push({ run: run.id, reason });
      else if (typeof pipeline !== 'string')
        runs.wanted.push({ definition, pipeline, sources: this.sourcesOf(definition) });
    }
    return runs;
  }

  /**
   * Settings that are missing keep a run from beginning: what would have been delivered is not lost to the dead letters, but
   * delivered once they are there.
   */
  private hindranceOf({ webhooks }: Pipeline): string | undefined {
    for (const webhook of webhooks) {
      const hindrance = this.webhooks.hindrance(webhook);
      if (hindrance !== undefined) return `${webhook.at}: ${hindrance} Then resume the pipeline.`;
    }
    return undefined;
  }

  private sourcesOf({ run }: PipelineDefinition): Map<string, number> {
    const sources = new Map<string, number>();
    for (const [name, { created_at }] of Object.entries(run.sources)) {
      const stream = this.definitions.stream(name);
      if (stream?.state === 'live' && stream.created_at === created_at) sources.set(name, stream.partitions);
    }
    return sources;
  }
}

function compiledOrWhyNot({ spec }: PipelineDefinition): Pipeline | string {
  try {
    return compilePipeline(spec);
  } catch (error) {
    if (error instanceof DefinitionError) return error.message;
    throw error;
  }
}
