import { ProblemError, type InputError, type StreamAccess } from '#api';
import { pipelineWrites, type Actor, type Definitions } from '#registry';
import { effectsOf, type PipelineSpec } from '#dataflow';
import { refuseReserved, requireWritable } from '../access/permit.js';
import type { ReadableStreams } from '../access/readable-streams.js';
import { permitsProjection } from '../projections/named-projection.js';

export interface RequiredStreamsParts {
  definitions: Pick<Definitions, 'stream' | 'createStream' | 'projections'>;
  streams: Pick<ReadableStreams, 'requireLive'>;
  /** Whether a first event makes its stream; then a definition does, too. */
  autoCreateStreams: boolean;
}

/** Who asks. */
export interface Requester {
  access: StreamAccess;
  client: AbortSignal;
}

/**
 * Refuses a pipeline that reads streams or asks projections that do not exist or may not be seen, or that writes to
 * streams that the key does not cover.
 * @throws ProblemError 403 `stream_forbidden` and `stream_reserved` for what it writes to, 404 `stream_not_found` and `projection_not_found`
 */
export async function requireStreams(
  spec: PipelineSpec,
  { definitions, streams }: Pick<RequiredStreamsParts, 'definitions' | 'streams'>,
  { access, client }: Requester,
): Promise<void> {
  const names = spec.source.streams;
  for (const { stream, pointer } of targets(spec)) {
    refuseReserved(stream, { pointer });
    requireWritable(access, [stream], { pointer });
  }
  requireProjections(spec, { definitions, access });
  await streams.requireLive(names, {
    ...{ access, client },
    pointerOf: (stream) => `/source/streams/${names.indexOf(stream)}`,
  });
}

function targets({ operators }: PipelineSpec) {
  return effectsOf(operators).filter((effect) => effect.kind === 'write');
}

function requireProjections(
  spec: PipelineSpec,
  { definitions, access }: { definitions: Pick<Definitions, 'projections'>; access: StreamAccess },
): void {
  const missing: InputError[] = [];
  const asked = effectsOf(spec.operators).filter((effect) => effect.kind === 'ask');
  for (const { projection, pointer } of asked) {
    const definition = definitions.projections.get(projection);
    if (definition && permitsProjection(access, definition)) continue;
    missing.push({ pointer, detail: `there is no projection ${projection}` });
  }
  if (missing.length === 0) return;
  const detail =
    'It asks a projection that is not there; GET /api/v1/projections lists those that you may see.';
  throw new ProblemError('projection_not_found', detail, { errors: missing });
}

/**
 * Makes the streams that it writes to and that are not there, so that whatever keeps them from being made is known now,
 * and not when the first event is to be emitted.
 * @throws ProblemError stream_name_collision, stream_limit_reached, stream_reserved, stream_being_deleted,
 * log_unavailable; `stream_not_found` where streams are not made by what is written
 */
export async function requireTargets(
  spec: PipelineSpec,
  { definitions, streams, autoCreateStreams }: RequiredStreamsParts,
  { access, actor, client }: Requester & { actor: Actor },
): Promise<void> {
  const pointers = new Map(targets(spec).map(({ stream, pointer }) => [stream, pointer]));
  if (!autoCreateStreams) {
    const pointerOf = (stream: string) => pointers.get(stream) as string;
    return streams.requireLive([...pipelineWrites(spec)], { access, client, pointerOf });
  }
  for (const [stream, pointer] of pointers) {
    if (definitions.stream(stream)?.state === 'live') continue;
    await definitions.createStream({ stream }, actor).catch((error: unknown) => {
      throw error instanceof ProblemError ? placed(error, pointer) : error;
    });
  }
}

function placed(error: ProblemError, pointer: string): ProblemError {
  const errors = [{ pointer, detail: error.message }];
  return new ProblemError(error.code, error.message, { ...error.options, errors });
}
