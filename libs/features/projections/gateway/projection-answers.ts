import { Allow, IsArray, IsIn, IsOptional, IsString } from 'class-validator';
import { formatTime } from '#json';
import {
  latestGeneration,
  type ProjectionDefinition,
  type ProjectionSpec,
} from '#features/projections/definition';
import { startPositions } from '#registry';
import { Count, JsonSchemaPart, LagSeconds, ListAnswer, ListOf, Nullable, ObjectOf } from '#gateway-kit';
import type { GenerationStats } from './projection-stats-reader.js';
import { defaultKey } from './validated-projection.js';

const projectionStatuses = ['building', 'running', 'paused', 'failed'] as const;
/** Status of a projection in the API: building, running, paused or failed. */
type ProjectionStatus = (typeof projectionStatuses)[number];

const time = { type: 'string', format: 'date-time' } as const;

/** OpenAPI schema of the member `source` of a projection: the events that it folds. */
class ProjectionSourceAnswer {
  @IsArray() @IsString({ each: true }) streams: readonly string[];
  @IsOptional() @IsArray() @IsString({ each: true }) event_types?: readonly string[];
  @IsOptional() @IsString() where?: string;
}

/** OpenAPI schema of a projection's definition and status. */
export class ProjectionAnswer {
  @IsString() name: string;
  @Count('Increases by one with each change of the definition.', 1) version: number;
  @IsIn(projectionStatuses)
  @JsonSchemaPart({
    description:
      '`building`: no states can be read yet. `failed`: the projection cannot continue. `failure` gives ' +
      'the reason; when its cause is removed, a resume continues the projection at its position.',
  })
  status: ProjectionStatus;
  @ObjectOf(ProjectionSourceAnswer) source: ProjectionSourceAnswer;
  @IsString() key: string;
  @Allow()
  @JsonSchemaPart({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/ProjectionFieldInput' },
  })
  fields: ProjectionSpec['fields'];
  @IsOptional()
  @IsString()
  @JsonSchemaPart({ description: 'How long the history of each key is kept; absent if none is.' })
  history?: string;
  @IsIn(startPositions) from: ProjectionSpec['from'];
  @JsonSchemaPart(time) @IsString() created_at: string;
  @Nullable('integer', {
    description: 'The version from which states are read; null while no states can be read yet.',
  })
  serving_version: number | null;
  @Nullable('string', { description: 'Why the projection cannot continue; null unless it has failed.' })
  failure: string | null;
}

/** A projection with the statistics of its serving generation, or of its first generation while none is serving. */
class ProjectionWithStatsAnswer extends ProjectionAnswer {
  @Count('Events that have been folded into states.') processed: number;
  @Count('Events that could not be folded. They are dead letters of `projection:<name>`.') failed: number;
  @Count('Records of the source streams that have not been processed yet.') lag: number;
  @LagSeconds() lag_seconds: number;
  @Nullable('string', { format: 'date-time', description: 'Time of the last checkpoint.' })
  updated_at: string | null;
}

/** Progress of the generation that is being built, in the answer of one projection. */
interface GenerationProgressAnswer {
  version: number;
  started_at: string;
  processed: number;
  failed: number;
  lag: number;
  fraction: number;
}

const count = { type: 'integer', minimum: 0 } as const;

/**
 * Answer of `GET /api/v1/projections/{name}`: the definition, statistics, and the progress of a generation that is
 * being built.
 */
export class ProjectionDetailAnswer extends ProjectionWithStatsAnswer {
  @Allow()
  @JsonSchemaPart({
    type: ['object', 'null'],
    description:
      'The generation that will serve reads once it has caught up; null when no generation is being built.',
    required: ['version', 'started_at', 'processed', 'failed', 'lag', 'fraction'],
    properties: {
      version: { type: 'integer', minimum: 1 },
      started_at: time,
      processed: count,
      failed: count,
      lag: count,
      fraction: {
        type: 'number',
        minimum: 0,
        maximum: 1,
        description: 'Fraction of the records that have been processed.',
      },
    },
  })
  progress: GenerationProgressAnswer | null;
}

/** Answer of `GET /api/v1/projections`: one page of projections. */
export class ProjectionList extends ListAnswer {
  @ListOf(ProjectionWithStatsAnswer) projections: ProjectionWithStatsAnswer[];
}

/**
 * Returns `failed`, `paused` or `running`, the first that applies: a pause does not hide a failure. Otherwise `building`,
 * for a first generation.
 */
export function projectionStatus({ paused, failure, serving }: ProjectionDefinition): ProjectionStatus {
  if (failure !== null) return 'failed';
  if (paused) return 'paused';
  return serving ? 'running' : 'building';
}

/** Converts the definition of a projection to its form in the API. */
export function projectionAnswer(definition: ProjectionDefinition): ProjectionAnswer {
  const { name, version, created_at, serving, failure } = definition;
  const { source, key, fields, history, from } = latestGeneration(definition).spec;
  return {
    name,
    version,
    status: projectionStatus(definition),
    source,
    key: key ?? defaultKey,
    fields,
    ...(history !== undefined && { history }),
    from,
    created_at,
    serving_version: serving?.version ?? null,
    failure,
  };
}

/** Converts a projection with the statistics of its serving generation. The keys of `stats` are ids of generations. */
export function projectionStatsAnswer(
  definition: ProjectionDefinition,
  stats: ReadonlyMap<string, GenerationStats>,
): ProjectionWithStatsAnswer {
  const { id } = definition.serving ?? latestGeneration(definition);
  const { processed = 0, failed = 0, lag = 0, seconds = 0, updated_at = null } = stats.get(id) ?? {};
  const saved = updated_at === null ? null : formatTime(updated_at);
  return { ...projectionAnswer(definition), processed, failed, lag, lag_seconds: seconds, updated_at: saved };
}

/** Converts a projection with its statistics and the progress of the generation being built. */
export function projectionDetailAnswer(
  definition: ProjectionDefinition,
  stats: ReadonlyMap<string, GenerationStats>,
): ProjectionDetailAnswer {
  const { building } = definition;
  const found = building && stats.get(building.id);
  if (!found) return { ...projectionStatsAnswer(definition, stats), progress: null };
  const { version, started_at } = building;
  const { processed, failed, lag, total } = found;
  const fraction = total === 0 ? 1 : Math.floor(((total - lag) / total) * 1000) / 1000;
  const progress = { version, started_at, processed, failed, lag, fraction };
  return { ...projectionStatsAnswer(definition, stats), progress };
}
