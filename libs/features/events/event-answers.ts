import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { Nullable, JsonSchemaPart } from '#gateway-kit';
import { WhereHint, WhereHints } from './hints/where-hint.js';

/** Decorator of the member of an answer that lacks the rows of shards. */
function MissingShards(): PropertyDecorator {
  const description =
    'With `partial=true`: the numbers of the shards that did not answer. Their rows are missing.';
  return applyDecorators(
    JsonSchemaPart({ type: 'array', items: { type: 'integer', minimum: 1 }, description }),
    IsInt({ each: true }),
    IsArray(),
    IsOptional(),
  );
}

const time = { type: 'string', format: 'date-time' } as const;

/** An event as the API returns it. The members of an event in an answer are those of `StoredEvent` in `libs/core/event`. */
export class EventAnswer {
  @IsUUID() event_id: string;
  @IsString() stream: string;
  @IsString() event_type: string;
  @Nullable('string') entity_id: string | null;
  @Nullable('integer', {
    description: '1, 2, 3 … without gaps per stream and entity; null without an entity.',
  })
  version: number | null;
  @JsonSchemaPart(time) @IsString() timestamp: string;
  @JsonSchemaPart(time) @IsString() ingested_at: string;
  @IsObject() data: object;
  @IsObject() metadata: object;
  @Nullable('integer') schema_version: number | null;
  @IsInt() @Min(0) partition: number;
  @IsInt() @Min(0) offset: number;
}

/** Answer of `GET /api/v1/events/query`: one page of events. */
export class EventPage {
  @IsArray() @ValidateNested({ each: true }) @Type(() => EventAnswer) events: EventAnswer[];
  @IsInt() @Min(0) @JsonSchemaPart({ description: 'Events in this answer.' }) count: number;
  @IsBoolean() has_more: boolean;
  @Nullable('string') next_cursor: string | null;
  @MissingShards() missing_shards?: readonly number[];
  @WhereHints() hints?: readonly WhereHint[];
}

/** Number of events in one time bucket, of one group, or both. */
export class EventCountBucket {
  @ValidateIf((_, value) => value !== undefined) @IsString() @JsonSchemaPart(time) start?: string;
  @IsOptional() @IsString() group?: string | null;
  @IsInt() @Min(0) count: number;
  @ValidateIf((_, value) => value !== undefined)
  @IsObject()
  @JsonSchemaPart({
    type: 'object',
    additionalProperties: { type: ['number', 'null'] },
    description:
      'With `quantile`: the estimate of each quantile, such as `{"0.5": 12.2}`; null if no event has a number.',
  })
  quantiles?: Readonly<Record<string, number | null>>;
}

/** Answer of `GET /api/v1/events/count`. */
export class EventCount {
  @IsArray() @ValidateNested({ each: true }) @Type(() => EventCountBucket) buckets: EventCountBucket[];
  @IsInt() @Min(0) total: number;
  @IsOptional()
  @IsString()
  @JsonSchemaPart({
    description: 'With `calendar`: the version of the IANA database that the intervals are from.',
  })
  zone_data?: string;
  @MissingShards() missing_shards?: readonly number[];
  @WhereHints() hints?: readonly WhereHint[];
}
