import { Type } from 'class-transformer';
import { Allow, IsArray, IsIn, IsInt, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import { formatTime } from '#event';
import { latestBuild, type ProjectionDefinition, type ProjectionSpec } from '#registry';
import { ListAnswer } from '../lists/list-answer.js';
import { Nullable } from '../openapi/nullable.js';
import { Schema } from '../openapi/schema.js';
import type { BuildStats } from './projection-stats.js';
import { projectionStarts } from './projection-input.js';
import { projectionStatus, projectionStatuses, type ProjectionStatus } from './projection-status.js';
import { defaultKey } from './wanted-projection.js';

const time = { type: 'string', format: 'date-time' } as const;

export class ProjectionSourceAnswer {
  @IsArray() @IsString({ each: true }) streams: readonly string[];
  @IsOptional() @IsArray() @IsString({ each: true }) event_types?: readonly string[];
  @IsOptional() @IsString() where?: string;
}

/** What a projection is. */
export class ProjectionAnswer {
  @IsString() name: string;
  @IsInt()
  @Min(1)
  @Schema({ description: 'Goes up by one with each change of what is folded.' })
  version: number;
  @IsIn(projectionStatuses)
  @Schema({
    description:
      '`building`: nothing can be read yet. `failed`: it cannot go on; `failure` says why, and a reset or a change ' +
      'begins anew.',
  })
  status: ProjectionStatus;
  @ValidateNested() @Type(() => ProjectionSourceAnswer) source: ProjectionSourceAnswer;
  @IsString() key: string;
  @Allow()
  @Schema({ type: 'object', additionalProperties: { $ref: '#/components/schemas/ProjectionFieldInput' } })
  fields: ProjectionSpec['fields'];
  @IsIn(projectionStarts) from: ProjectionSpec['from'];
  @Schema(time) @IsString() created_at: string;
  @Nullable('integer', {
    description: 'The version that states are read from; null while nothing can be read yet.',
  })
  serving_version: number | null;
  @Nullable('string', { description: 'Why it cannot go on.' }) failure: string | null;
}

/** A projection, and how the build that is read from is doing, or the first one. */
export class ProjectionFiguresAnswer extends ProjectionAnswer {
  @IsInt() @Min(0) @Schema({ description: 'Events that are folded.' }) processed: number;
  @IsInt()
  @Min(0)
  @Schema({ description: 'Events that could not be folded: they are dead letters of `projection:<name>`.' })
  failed: number;
  @IsInt() @Min(0) @Schema({ description: 'Records that are not looked at yet.' }) lag: number;
  @Nullable('string', { format: 'date-time', description: 'When its states were last written.' })
  updated_at: string | null;
}

/** A build that is to be read from when it has caught up. */
export interface BuildProgressAnswer {
  version: number;
  started_at: string;
  processed: number;
  failed: number;
  lag: number;
  fraction: number;
}

const count = { type: 'integer', minimum: 0 } as const;

export class ProjectionDetailAnswer extends ProjectionFiguresAnswer {
  @Allow()
  @Schema({
    type: ['object', 'null'],
    description: 'The build that is read from when it has caught up; null while there is none in the making.',
    required: ['version', 'started_at', 'processed', 'failed', 'lag', 'fraction'],
    properties: {
      ...{ version: { type: 'integer', minimum: 1 }, started_at: time },
      ...{ processed: count, failed: count, lag: count },
      fraction: { type: 'number', minimum: 0, maximum: 1, description: 'Of what it has to look at.' },
    },
  })
  progress: BuildProgressAnswer | null;
}

export class ProjectionList extends ListAnswer {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ProjectionFiguresAnswer)
  projections: ProjectionFiguresAnswer[];
}

/** A projection as it is defined. */
export function projectionAnswer(definition: ProjectionDefinition): ProjectionAnswer {
  const { name, version, created_at, serving, failure } = definition;
  const { source, key, fields, from } = latestBuild(definition).spec;
  return {
    ...{ name, version, status: projectionStatus(definition) },
    ...{ source, key: key ?? defaultKey, fields, from },
    ...{ created_at, serving_version: serving?.version ?? null, failure },
  };
}

/** The same with the stats of what is read from; `stats` are by build. */
export function figuresAnswer(
  definition: ProjectionDefinition,
  stats: ReadonlyMap<string, BuildStats>,
): ProjectionFiguresAnswer {
  const read = stats.get((definition.serving ?? latestBuild(definition)).id);
  const updated_at = read?.updated_at ?? null;
  return {
    ...projectionAnswer(definition),
    ...{ processed: read?.processed ?? 0, failed: read?.failed ?? 0, lag: read?.lag ?? 0 },
    updated_at: updated_at === null ? null : formatTime(updated_at),
  };
}

/** The same with the build in the making. */
export function detailAnswer(
  definition: ProjectionDefinition,
  stats: ReadonlyMap<string, BuildStats>,
): ProjectionDetailAnswer {
  return { ...figuresAnswer(definition, stats), progress: progressAnswer(definition, stats) };
}

function progressAnswer(
  { building }: ProjectionDefinition,
  stats: ReadonlyMap<string, BuildStats>,
): BuildProgressAnswer | null {
  const statsOfBuild = building && stats.get(building.id);
  if (!building || !statsOfBuild) return null;
  const { version, started_at } = building;
  const { processed, failed, lag, total } = statsOfBuild;
  const fraction = total === 0 ? 1 : Math.floor(((total - lag) / total) * 1000) / 1000;
  return { version, started_at, processed, failed, lag, fraction };
}
