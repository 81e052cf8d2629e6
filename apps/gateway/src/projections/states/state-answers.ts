import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsInt, IsObject, IsString, Min, ValidateNested } from 'class-validator';
import { formatTime } from '#event';
import { listEnd } from '../../lists/list-end.js';
import { Nullable } from '../../openapi/nullable.js';
import { Schema } from '../../openapi/schema.js';
import type { KeyState } from './key-state.js';

/** What a projection knows of one key. */
export class ProjectionStateAnswer {
  @IsString() key: string;
  @IsInt() @Min(1) @Schema({ description: 'Events that are folded into it.' }) version: number;
  @Schema({ type: 'string', format: 'date-time', description: 'When the last of them was ingested.' })
  @IsString()
  updated_at: string;
  @IsObject()
  @Schema({
    description:
      'The fields of the projection. Numbers have all their digits, also where they are more than a double has.',
  })
  state: object;
}

export class ProjectionStateList {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ProjectionStateAnswer)
  states: ProjectionStateAnswer[];
  @IsInt() @Min(0) @Schema({ description: 'All keys, of those that begin with `prefix`.' }) total: number;
  @IsBoolean() has_more: boolean;
  @Nullable('string') next_cursor: string | null;
}

export interface StatePage {
  states: readonly KeyState[];
  total: number;
  nextCursor?: string | undefined;
}

/** A ProjectionStateAnswer as JSON. The state goes in as the text that it is: reading it would change big numbers. */
export function stateJson({ key, version, updatedAt, state }: KeyState): string {
  const head = JSON.stringify({ key, version, updated_at: formatTime(updatedAt) });
  return `${head.slice(0, -1)},"state":${state}}`;
}

/** A ProjectionStateList as JSON. */
export function statesJson({ states, total, nextCursor }: StatePage): string {
  const end = JSON.stringify({ total, ...listEnd(nextCursor) });
  return `{"states":[${states.map(stateJson).join(',')}],${end.slice(1)}`;
}
