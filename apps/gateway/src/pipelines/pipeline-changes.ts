import { formatTime } from '#event';
import { ProblemError, type StreamAccess } from '#api';
import type { Definitions, PipelineDefinition, PipelineRun } from '#registry';
import type { KeyedStateReader } from '#store';
import type { PipelineSpec } from '#dataflow';
import type { Changer } from '../access/changer.js';
import type { ReadGate } from '../reads/read-gate.js';
import type { BoundSourcesEngines } from '../sources/bound-sources.js';
import { permitsPipeline, permittedPipeline, type PipelineViewer } from './named-pipeline.js';
import { continuedRun, newRun } from './new-run.js';
import { refuseLoop } from './refused-loop.js';
import { requireStreams, requireTargets, type RequiredStreamsParts } from './required-streams.js';
import type { PipelineSpecInput } from './pipeline-input.js';
import { sameSpec, wantedPipeline, type UsablePipeline, type WebhookRule } from './wanted-pipeline.js';

export interface PipelineChangesParts extends BoundSourcesEngines, RequiredStreamsParts {
  definitions: Pick<Definitions, 'stream' | 'createStream' | 'projections' | 'pipelines'>;
  pipelines: KeyedStateReader;
  gate: ReadGate;
  wrongInWebhook: WebhookRule;
}

/** What a pipeline shall be; the signal is aborted when the client goes away. */
export interface WantedPipeline {
  name: string;
  spec: PipelineSpec;
  client: AbortSignal;
}

/** A run that has read nothing else than now. */
const none: ReadonlyMap<string, string> = new Map();

type Change = (current: PipelineDefinition) => PipelineDefinition;

/**
 * How pipelines change. Each change is one of the definition, made of what holds then: of two at the same time the second
 * is made of what the first has left. Repeating one that holds changes nothing, but a reset begins anew.
 */
export class PipelineChanges {
  constructor(private readonly parts: PipelineChangesParts) {}

  /** What a body defines. @throws ProblemError what `wantedPipeline` throws */
  usable(input: PipelineSpecInput): UsablePipeline {
    return wantedPipeline(input, { wrongInWebhook: this.parts.wrongInWebhook });
  }

  /**
   * A new pipeline, or the one that is there if it is exactly this.
   * @throws ProblemError pipeline_exists, pipeline_loop, stream_not_found, projection_not_found, stream_forbidden,
   * stream_reserved, definition_limit_reached, payload_too_large, definition_conflict, log_unavailable, and what keeps a
   * stream that it writes to from being made
   */
  async define(
    { name, spec, client }: WantedPipeline,
    changer: Changer,
  ): Promise<{ definition: PipelineDefinition; created: boolean }> {
    const { actor, access } = changer;
    const { pipelines } = this.parts.definitions;
    await this.require({ name, spec, client }, changer);
    const run = await newRun(spec, this.parts);
    const next = (current: PipelineDefinition | undefined): PipelineDefinition => {
      if (!current) return this.loopless(firstDefinition({ name, spec, run }), changer);
      if (!permitsPipeline(current, this.viewer(access))) throw takenByHidden(name);
      if (sameSpec(current.spec, spec)) return current;
      const detail = `There is a pipeline ${name} that does something else; PUT changes it.`;
      throw new ProblemError('pipeline_exists', detail, {
        errors: [{ pointer: '/name', detail: 'is taken' }],
      });
    };
    const { value, changed } = await pipelines.change(name, next, actor);
    const definition = permittedPipeline(value, this.viewer(access));
    if (changed) await this.stillLoopless(definition, undefined, changer);
    return { definition, created: changed };
  }

  /**
   * Another spec is a version more; the run goes on where it is, or begins anew from the beginning. The same spec changes
   * nothing, unless it begins anew.
   * @throws ProblemError pipeline_not_found, and what `define` throws
   * @throws StoreUnavailableError when it adds a stream
   */
  async replace(
    { name, spec, client, from }: WantedPipeline & { from?: 'beginning' | undefined },
    changer: Changer,
  ): Promise<PipelineDefinition> {
    const { run: before } = this.named(name, changer);
    await this.require({ name, spec, client }, changer);
    const fresh = await newRun({ ...spec, from: from ?? spec.from }, this.parts);
    const former = from ? none : await this.formerSources(before, spec, client);
    const { definitions } = this.parts;
    return this.change(name, changer, (current) => {
      const same = sameSpec(current.spec, spec);
      if (same && !from) return current;
      const version = same ? current.version : current.version + 1;
      const ofThisRun = current.run.id === before.id ? former : none;
      const run = from ? fresh : continuedRun(current.run, fresh, { definitions, former: ofThisRun });
      return this.loopless({ ...current, version, spec, run, failure: null }, changer);
    });
  }

  /** Begins anew, where `from` says. @throws ProblemError pipeline_not_found, and what `define` throws */
  async reset(name: string, changer: Changer): Promise<PipelineDefinition> {
    const { spec } = this.named(name, changer);
    const run = await newRun(spec, this.parts);
    return this.change(name, changer, (current) => {
      if (sameSpec(current.spec, spec)) return { ...current, run, failure: null };
      throw new ProblemError('definition_conflict', 'It has just been changed: look before you reset it.');
    });
  }

  /** @throws ProblemError pipeline_not_found, definition_conflict, log_unavailable */
  pause(name: string, changer: Changer): Promise<PipelineDefinition> {
    return this.change(name, changer, (current) => (current.paused ? current : { ...current, paused: true }));
  }

  /**
   * One that has failed is tried again where it stands: whether it can go on now, only a processor can tell.
   * @throws ProblemError what `pause` throws
   */
  resume(name: string, changer: Changer): Promise<PipelineDefinition> {
    return this.change(name, changer, (current) =>
      current.paused || current.failure !== null ? { ...current, paused: false, failure: null } : current,
    );
  }

  /**
   * Nothing more is emitted within moments. Its internal topics and what it knows are removed by a processor.
   * @throws ProblemError pipeline_not_found, definition_conflict, log_unavailable
   */
  async remove(name: string, { actor, access }: Changer): Promise<void> {
    const next = (current: PipelineDefinition | undefined): undefined => {
      permittedPipeline(current, this.viewer(access));
    };
    await this.parts.definitions.pipelines.change(name, next, actor);
  }

  private async require({ name, spec, client }: WantedPipeline, { actor, access }: Changer): Promise<void> {
    await requireStreams(spec, this.parts, { access, client });
    refuseLoop({ name, spec }, this.parts.definitions.pipelines.all(), this.viewer(access));
    await requireTargets(spec, this.parts, { access, actor, client });
  }

  /** When streams were made that a run has read and that are new to it now: what it has processed says so. */
  private async formerSources(
    { id, sources }: PipelineRun,
    { source }: PipelineSpec,
    client: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const added = source.streams.filter((stream) => !Object.hasOwn(sources, stream));
    if (added.length === 0) return none;
    const { pipelines, gate } = this.parts;
    const progress = await gate.run(client, (signal) => pipelines.progress([id], signal));
    return new Map(progress.filter(({ stage }) => stage === '').map(({ stream, state }) => [stream, state]));
  }

  private named(name: string, { access }: Changer): PipelineDefinition {
    return permittedPipeline(this.parts.definitions.pipelines.get(name), this.viewer(access));
  }

  private viewer(access: StreamAccess): PipelineViewer {
    return { access, projections: this.parts.definitions.projections };
  }

  private loopless(definition: PipelineDefinition, { access }: Changer): PipelineDefinition {
    refuseLoop(definition, this.parts.definitions.pipelines.all(), this.viewer(access));
    return definition;
  }

  /**
   * Two definitions that close a loop together can be written at the same moment, by two processes that do not see each
   * other's. Each looks again when its own is in the log: the later one at least sees both, and takes its own back.
   */
  private async stillLoopless(
    written: PipelineDefinition,
    before: PipelineDefinition | undefined,
    { actor, access }: Changer,
  ): Promise<void> {
    const { pipelines } = this.parts.definitions;
    try {
      refuseLoop(written, pipelines.all(), this.viewer(access));
    } catch (error) {
      const takeBack = (current: PipelineDefinition | undefined) => {
        if (!current || current.run.id !== written.run.id || current.version !== written.version)
          return current;
        return before && { ...before, paused: current.paused, version: current.version + 1 };
      };
      await pipelines.change(written.name, takeBack, actor);
      throw error;
    }
  }

  private async change(name: string, changer: Changer, next: Change): Promise<PipelineDefinition> {
    const { actor, access } = changer;
    let before: PipelineDefinition | undefined;
    const change = (current: PipelineDefinition | undefined) => {
      before = permittedPipeline(current, this.viewer(access));
      return next(before);
    };
    const { value } = await this.parts.definitions.pipelines.change(name, change, actor);
    const definition = permittedPipeline(value, this.viewer(access));
    if (before && definition.version > before.version) await this.stillLoopless(definition, before, changer);
    return definition;
  }
}

/** Says that a name is taken without a word about what has it. */
function takenByHidden(name: string): ProblemError {
  const detail = `The name ${name} is taken; choose another one.`;
  return new ProblemError('pipeline_exists', detail, { errors: [{ pointer: '/name', detail: 'is taken' }] });
}

function firstDefinition(more: { name: string; spec: PipelineSpec; run: PipelineRun }): PipelineDefinition {
  const created_at = formatTime(Date.now() * 1000);
  return { ...more, version: 1, created_at, paused: false, failure: null };
}
