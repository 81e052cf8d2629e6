import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { ProblemError, type StreamAccess } from '#api';
import { pipelineWrites } from '#features/pipelines/definition';
import { type Actor, type Definitions } from '#registry';
import { effectsOf, noHistory, sourceStreams, type PipelineSpec } from '#features/pipelines/computation';
import { WriteSettings } from '#writing';
import { refuseReserved, requireWriteAccess, StreamReadAuthorizer } from '#gateway-kit';
import { VisibleProjections } from '#features/projections';
import { latestGeneration } from '#features/projections/definition';
import '#features/projections';

/** The caller that defines a pipeline: the streams that it may see, and a signal that is aborted when it disconnects. */
export interface PipelineDefinitionCaller {
  access: StreamAccess;
  client: AbortSignal;
}

/**
 * Checks before a pipeline is stored that its source streams and projections exist, and creates the streams that it
 * writes to.
 */
@Injectable()
export class PipelineReferenceChecker {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'stream' | 'createStream'>,
    private readonly projections: VisibleProjections,
    private readonly streams: StreamReadAuthorizer,
    private readonly settings: WriteSettings,
  ) {}

  /**
   * Refuses a pipeline that reads streams or looks up projections which do not exist or are not visible, or that writes
   * to streams outside the key's patterns.
   * @throws ProblemError 403 `stream_forbidden` and `stream_reserved` for the streams that it writes to, 404
   * `stream_not_found` and `projection_not_found`, 400 `invalid_request` for `as_of` in a projection without a history
   */
  async require(spec: PipelineSpec, requester: PipelineDefinitionCaller): Promise<void> {
    for (const { stream, pointer } of targets(spec)) {
      refuseReserved(stream, { pointer });
      requireWriteAccess(requester.access, [stream], { pointer });
    }
    this.requireProjections(spec, requester.access);
    await this.streams.requireSources(sourceStreams(spec), requester);
  }

  /**
   * Creates the missing streams that a pipeline writes to, so that an error is reported now and not when the first
   * event is emitted. If the setting `AUTO_CREATE_STREAMS` is off, refuses the pipeline unless these streams exist.
   * @throws ProblemError stream_name_collision, stream_limit_reached, stream_reserved, stream_being_deleted,
   * log_unavailable; `stream_not_found` when writes do not create streams (`AUTO_CREATE_STREAMS`)
   */
  async makeTargets(
    spec: PipelineSpec,
    { access, actor, client }: PipelineDefinitionCaller & { actor: Actor },
  ): Promise<void> {
    const pointers = new Map(targets(spec).map(({ stream, pointer }) => [stream, pointer]));
    if (!this.settings.AUTO_CREATE_STREAMS) {
      const pointerOf = (stream: string) => pointers.get(stream) as string;
      return this.streams.requireLive([...pipelineWrites(spec)], { access, client, pointerOf });
    }
    for (const [stream, pointer] of pointers) {
      if (this.definitions.stream(stream)?.state === 'live') continue;
      await this.definitions.createStream({ stream }, actor).catch((error: unknown) => {
        if (!(error instanceof ProblemError)) throw error;
        const errors = [{ pointer, detail: error.message }];
        throw new ProblemError(error.code, error.message, { ...error.options, errors });
      });
    }
  }

  private requireProjections(spec: PipelineSpec, access: StreamAccess): void {
    const seen = new Map(this.projections.all(access).map((one) => [one.name, one]));
    const asked = effectsOf(spec.operators).filter((effect) => effect.kind === 'ask');
    const missing = asked
      .filter(({ projection }) => !seen.has(projection))
      .map(({ projection, pointer }) => ({ pointer, detail: `there is no projection ${projection}` }));
    if (missing.length > 0) {
      const detail =
        'The pipeline looks up a projection that does not exist; GET /api/v1/projections lists those that you may see.';
      throw new ProblemError('projection_not_found', detail, { errors: missing });
    }
    const withoutHistory = asked.flatMap(({ projection, asOf }) =>
      asOf === undefined || latestGeneration(seen.get(projection)!).spec.history !== undefined
        ? []
        : [{ pointer: asOf, detail: noHistory(projection).detail }],
    );
    if (withoutHistory.length > 0)
      throw new ProblemError('invalid_request', 'The definition is not valid.', { errors: withoutHistory });
  }
}

function targets({ operators }: PipelineSpec) {
  return effectsOf(operators).filter((effect) => effect.kind === 'write');
}
