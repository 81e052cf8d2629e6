import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, STORE } from '#app';
import { formatTime } from '#json';
import { ProblemError, type StreamAccess } from '#api';
import type { Definitions, JobIdAndStartOffsets } from '#registry';
import type { PipelineDefinition, LoopCandidate } from '#features/pipelines/definition';
import type { KeyedStateReader } from '#store';
import { sourceStreams, type PipelineSpec } from '#features/pipelines/computation';
import { WebhookAddressPolicy } from '#features/webhooks';
import {
  sameSpec,
  type DefinitionChangeCaller,
  type DefinitionRequest,
  type DefinitionChange,
  type ResettableDefinitionResource,
  Bulkhead,
  NewGenerationOrJobFactory,
} from '#gateway-kit';
import { continuedJob } from './continued-job.js';
import { pipelineAnswer } from './pipeline-answers.js';
import type { PipelineInput, PipelineReplacementParameters, PipelineSpecInput } from './pipeline-input.js';
import { PipelineReferenceChecker } from './pipeline-reference-checker.js';
import { PipelineStatsReader } from './pipeline-stats-reader.js';
import { refuseLoop } from './refuse-loop.js';
import { validatedPipeline } from './validated-pipeline.js';
import { VisiblePipelines } from './visible-pipelines.js';

/** No former sources, for a job that has never read other streams than now. */
const none: ReadonlyMap<string, string> = new Map();

/**
 * Pipelines, as their routes use them. A change that is already in effect does nothing, except that each reset starts a
 * new job.
 */
@Injectable()
export class PipelineResource implements ResettableDefinitionResource<PipelineDefinition> {
  readonly answer = pipelineAnswer;

  constructor(
    readonly visible: VisiblePipelines,
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'stream' | 'pipelines'>,
    @Inject(STORE) private readonly store: { pipelines: KeyedStateReader },
    private readonly bulkhead: Bulkhead,
    private readonly references: PipelineReferenceChecker,
    private readonly jobs: NewGenerationOrJobFactory,
    private readonly stats: PipelineStatsReader,
    private readonly webhooks: WebhookAddressPolicy,
  ) {}

  /**
   * Creates a pipeline, or returns the existing one when it has the same definition.
   * @throws ProblemError pipeline_loop, stream_not_found, projection_not_found, stream_forbidden, stream_reserved,
   * payload_too_large, the errors of creating a target stream, and the errors of `VisibleDefinitions.define`
   */
  async create(
    { input, client }: DefinitionRequest,
    caller: DefinitionChangeCaller,
  ): Promise<DefinitionChange<PipelineDefinition>> {
    const { name } = input as PipelineInput;
    const { spec } = validatedPipeline(input as PipelineInput, this.webhooks);
    await this.require({ name, spec }, caller, client);
    const run = await this.newJob(spec);
    const first = (): PipelineDefinition => {
      const created_at = formatTime(Date.now() * 1000);
      const definition = { name, spec, run, version: 1, created_at, paused: false, failure: null };
      return this.loopless(definition, caller.access);
    };
    const isSame = (current: PipelineDefinition) => sameSpec(current.spec, spec);
    const defined = await this.visible.define(name, caller, { first, isSame, verb: 'does' });
    if (defined.created) await this.stillLoopless(defined.definition, undefined, caller);
    return defined;
  }

  /**
   * Replaces the definition of a pipeline. A different spec increases the version; the job continues where it is, or a
   * new job starts at the beginning. The same spec changes nothing, unless a new job starts.
   * @throws ProblemError pipeline_not_found, and the errors of `create`
   * @throws StoreUnavailableError when the spec adds a stream
   */
  async replace(
    name: string,
    { input, query, client }: DefinitionRequest,
    caller: DefinitionChangeCaller,
  ): Promise<DefinitionChange<PipelineDefinition>> {
    const { run: before } = this.visible.get(name, caller.access);
    const { spec } = validatedPipeline(input as PipelineSpecInput, this.webhooks);
    const { from } = query as PipelineReplacementParameters;
    await this.require({ name, spec }, caller, client);
    const fresh = await this.newJob(spec, from ?? spec.from);
    const former = from ? none : await this.formerSources(before, spec, client);
    const { definitions } = this;
    const definition = await this.change(name, caller, (current) => {
      const same = sameSpec(current.spec, spec);
      if (same && !from) return current;
      const version = same ? current.version : current.version + 1;
      const ofThisRun = current.run.id === before.id ? former : none;
      const run = from ? fresh : continuedJob(current.run, fresh, { definitions, former: ofThisRun, spec });
      return this.loopless({ ...current, version, spec, run, failure: null }, caller.access);
    });
    return { definition, created: false };
  }

  /**
   * Starts a new job at the position that `from` of the definition names.
   * @throws ProblemError pipeline_not_found, and the errors of `create`
   */
  async reset(name: string, caller: DefinitionChangeCaller): Promise<PipelineDefinition> {
    const { spec } = this.visible.get(name, caller.access);
    const run = await this.newJob(spec);
    return this.change(name, caller, (current) => {
      if (sameSpec(current.spec, spec)) return { ...current, run, failure: null };
      const detail = 'The pipeline has just been changed: read it again before you reset it.';
      throw new ProblemError('definition_conflict', detail);
    });
  }

  /**
   * Deletes a pipeline. A few moments later it emits nothing more. A processor then removes the internal topics and the
   * state of the pipeline.
   * @throws ProblemError pipeline_not_found, definition_conflict, log_unavailable
   */
  async remove(name: string, caller: DefinitionChangeCaller): Promise<void> {
    await this.visible.remove(name, caller);
  }

  async answersWithStats(definitions: readonly PipelineDefinition[], client: AbortSignal): Promise<object[]> {
    const all = await this.stats.of(definitions, client);
    return all.map(({ steps: _, ...stats }, i) => ({ ...pipelineAnswer(definitions[i]!), ...stats }));
  }

  async detail(definition: PipelineDefinition, client: AbortSignal): Promise<object> {
    const [stats] = await this.stats.of([definition], client);
    return { ...pipelineAnswer(definition), ...stats };
  }

  private async require(
    { name, spec }: Pick<PipelineDefinition, 'name' | 'spec'>,
    { actor, access }: DefinitionChangeCaller,
    client: AbortSignal,
  ): Promise<void> {
    await this.references.require(spec, { access, client });
    this.refuseLoop({ name, spec }, access);
    await this.references.makeTargets(spec, { access, actor, client });
  }

  /**
   * Reads the saved progress of a pipeline job, and resolves with the ids of the streams that the job has read, by
   * name. Resolves with an empty map if the definition adds no stream.
   */
  private async formerSources(
    { id, sources }: JobIdAndStartOffsets,
    spec: PipelineSpec,
    client: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const added = [...sourceStreams(spec).keys()].filter((stream) => !Object.hasOwn(sources, stream));
    if (added.length === 0) return none;
    const progress = await this.bulkhead.run(client, (signal) => this.store.pipelines.progress([id], signal));
    return new Map(progress.filter(({ stage }) => stage === '').map(({ stream, state }) => [stream, state]));
  }

  private newJob(spec: PipelineSpec, from = spec.from): Promise<JobIdAndStartOffsets> {
    return this.jobs.begin({ streams: sourceStreams(spec), from });
  }

  private refuseLoop(pipeline: LoopCandidate, access: StreamAccess): void {
    const visible = this.visible.all(access);
    refuseLoop(pipeline, this.definitions.pipelines.all(), { access, visible });
  }

  private loopless(definition: PipelineDefinition, access: StreamAccess): PipelineDefinition {
    this.refuseLoop(definition, access);
    return definition;
  }

  /**
   * Checks for a loop again, once the definition is in the log. Two processes may write two definitions that form a
   * loop together at the same moment, when neither sees the other's. The process that writes later sees both and
   * reverts its own.
   */
  private async stillLoopless(
    written: PipelineDefinition,
    before: PipelineDefinition | undefined,
    { actor, access }: DefinitionChangeCaller,
  ): Promise<void> {
    try {
      this.refuseLoop(written, access);
    } catch (error) {
      const revert = (current: PipelineDefinition | undefined) => {
        if (!current || current.run.id !== written.run.id || current.version !== written.version)
          return current;
        return before && { ...before, paused: current.paused, version: current.version + 1 };
      };
      await this.definitions.pipelines.change(written.name, revert, actor);
      throw error;
    }
  }

  private async change(
    name: string,
    caller: DefinitionChangeCaller,
    next: (current: PipelineDefinition) => PipelineDefinition,
  ): Promise<PipelineDefinition> {
    let before: PipelineDefinition | undefined;
    const definition = await this.visible.change(name, caller, (current) => next((before = current)));
    if (before && definition.version > before.version) await this.stillLoopless(definition, before, caller);
    return definition;
  }
}
