import { IsBoolean, IsObject, IsString } from 'class-validator';
import { formatTime } from '#json';
import { Count, JsonSchemaPart, listEnd, ListOf, Nullable } from '#gateway-kit';
import type { KeyState } from './key-state.js';

/** OpenAPI schema of the state of one key of a projection. */
export class ProjectionStateAnswer {
  @IsString() key: string;
  @Count('Number of events that are folded into the state.', 1) version: number;
  @JsonSchemaPart({
    type: 'string',
    format: 'date-time',
    description: 'Ingestion time of the last of these events.',
  })
  @IsString()
  updated_at: string;
  @IsObject()
  @JsonSchemaPart({
    description:
      'The fields of the projection. Numbers have all their digits, even when a double could not represent them.',
  })
  state: object;
}

/** Answer of `GET /api/v1/projections/{name}/state`: one page of keys with their states. */
export class ProjectionStateList {
  @ListOf(ProjectionStateAnswer) states: ProjectionStateAnswer[];
  @Count('Number of all keys, or of those that start with `prefix`.') total: number;
  @IsBoolean() has_more: boolean;
  @Nullable('string') next_cursor: string | null;
}

/** One page of keys with their states, before it is written as JSON. */
export interface StatePage {
  states: readonly KeyState[];
  total: number;
  nextCursor?: string | undefined;
}

/** Returns the JSON of a ProjectionStateAnswer. The state is copied as text: parsing it would change large numbers. */
export function stateJson({ key, version, updatedAt, state }: KeyState): string {
  const head = JSON.stringify({ key, version, updated_at: formatTime(updatedAt) });
  return `${head.slice(0, -1)},"state":${state}}`;
}

/** Returns the JSON of a ProjectionStateList. */
export function statesJson({ states, total, nextCursor }: StatePage): string {
  const end = JSON.stringify({ total, ...listEnd(nextCursor) });
  return `{"states":[${states.map(stateJson).join(',')}],${end.slice(1)}`;
}
