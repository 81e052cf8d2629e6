import { Type } from 'class-transformer';
import { Allow, IsArray, IsIn, IsInt, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import { formatTime } from '#json';
import { latestGeneration, startPositions, type ProjectionDefinition, type ProjectionSpec } from '#registry';
import { ListAnswer, Nullable, JsonSchemaPart } from '#gateway-kit';
import type { GenerationStats } from './projection-stats-reader.js';
import { projectionStatus, projectionStatuses, type ProjectionStatus } from './projection-status.js';
import { defaultKey } from './validated-projection.js';

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
  @IsInt()
  @Min(1)
  @JsonSchemaPart({ description: 'Increases by one with each change of the definition.' })
  version: number;
  @IsIn(projectionStatuses)
  @JsonSchemaPart({
    description:
      '`building`: no states can be read yet. `failed`: the projection cannot continue. `failure` gives ' +
      'the reason; when its cause is removed, a resume continues the projection at its position.',
  })
  status: ProjectionStatus;
  @ValidateNested() @Type(() => ProjectionSourceAnswer) source: ProjectionSourceAnswer;
  @IsString() key: string;
  @Allow()
  @JsonSchemaPart({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/ProjectionFieldInput' },
  })
  fields: ProjectionSpec['fields'];
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
  @IsInt()
  @Min(0)
  @JsonSchemaPart({ description: 'Events that have been folded into states.' })
  processed: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({
    description: 'Events that could not be folded. They are dead letters of `projection:<name>`.',
  })
  failed: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({ description: 'Records of the source streams that have not been processed yet.' })
  lag: number;
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
      ...{ version: { type: 'integer', minimum: 1 }, started_at: time },
      ...{ processed: count, failed: count, lag: count },
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
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ProjectionWithStatsAnswer)
  projections: ProjectionWithStatsAnswer[];
}

/** Converts the definition of a projection to its form in the API. */
export function projectionAnswer(definition: ProjectionDefinition): ProjectionAnswer {
  const { name, version, created_at, serving, failure } = definition;
  const { source, key, fields, from } = latestGeneration(definition).spec;
  return {
    ...{ name, version, status: projectionStatus(definition) },
    ...{ source, key: key ?? defaultKey, fields, from },
    ...{ created_at, serving_version: serving?.version ?? null, failure },
  };
}

/**
 * Converts a projection with the statistics of the generation that serves reads. `stats` are by the id of the
 * generation.
 */
export function projectionStatsAnswer(
  definition: ProjectionDefinition,
  stats: ReadonlyMap<string, GenerationStats>,
): ProjectionWithStatsAnswer {
  const read = stats.get((definition.serving ?? latestGeneration(definition)).id);
  const updated_at = read?.updated_at ?? null;
  return {
    ...projectionAnswer(definition),
    ...{ processed: read?.processed ?? 0, failed: read?.failed ?? 0, lag: read?.lag ?? 0 },
    updated_at: updated_at === null ? null : formatTime(updated_at),
  };
}

/** Converts a projection with its statistics and the progress of the generation being built. */
export function projectionDetailAnswer(
  definition: ProjectionDefinition,
  stats: ReadonlyMap<string, GenerationStats>,
): ProjectionDetailAnswer {
  return { ...projectionStatsAnswer(definition, stats), progress: progressAnswer(definition, stats) };
}

function progressAnswer(
  { building }: ProjectionDefinition,
  stats: ReadonlyMap<string, GenerationStats>,
): GenerationProgressAnswer | null {
  const statsOfBuild = building && stats.get(building.id);
  if (!building || !statsOfBuild) return null;
  const { version, started_at } = building;
  const { processed, failed, lag, total } = statsOfBuild;
  const fraction = total === 0 ? 1 : Math.floor(((total - lag) / total) * 1000) / 1000;
  return { version, started_at, processed, failed, lag, fraction };
}
