import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsDefined, IsInt, IsString, Min, ValidateNested } from 'class-validator';
import type { StreamDefinition } from '#definitions';
import { Nullable } from '../openapi/nullable.js';
import { Schema } from '../openapi/schema.js';

const time = { type: 'string', format: 'date-time' } as const;

/** A stream: how it is defined, and what can be queried of it. */
export class StreamAnswer {
  @IsString() stream: string;
  @IsInt() @Min(1) partitions: number;
  @IsInt() @Min(0) events: number;
  @Nullable('string', { format: 'date-time' }) first_timestamp: string | null;
  @Nullable('string', { format: 'date-time' }) last_timestamp: string | null;
  @IsDefined()
  @Schema({
    oneOf: [
      { type: 'string', enum: ['unlimited'] },
      { type: 'object', properties: { time: { type: 'string' }, bytes: { type: 'integer' } } },
    ],
  })
  retention: StreamDefinition['retention'];
  @Schema(time) @IsString() created_at: string;
}

export class StreamList {
  @IsArray() @ValidateNested({ each: true }) @Type(() => StreamAnswer) streams: StreamAnswer[];
  @IsInt() @Min(0) total: number;
  @IsBoolean() has_more: boolean;
  @Nullable('string') next_cursor: string | null;
}

export class EntityAnswer {
  @IsString() stream: string;
  @IsString() entity_id: string;
  @IsInt() @Min(1) version: number;
  @Schema(time) @IsString() last_timestamp: string;
}

export class EntityList {
  @IsArray() @ValidateNested({ each: true }) @Type(() => EntityAnswer) entities: EntityAnswer[];
  @IsInt() @Min(0) count: number;
  @IsBoolean() has_more: boolean;
  @Nullable('string') next_cursor: string | null;
}

/** A record that could not become an event. */
export class DeadLetterAnswer {
  @IsString() id: string;
  @IsString() source: string;
  @IsString() stream: string;
  @IsInt() @Min(0) partition: number;
  @IsInt() @Min(0) offset: number;
  @IsString() @Schema({ description: 'A stable word: `unreadable`, `refused_by_store`.' }) reason: string;
  @IsString() error: string;
  @IsString()
  @Schema({ description: 'The record as text, or `base64:` and its bytes where they are not UTF-8.' })
  event: string;
  @Schema(time) @IsString() created_at: string;
}

export class DeadLetterList {
  @IsArray() @ValidateNested({ each: true }) @Type(() => DeadLetterAnswer) dead_letters: DeadLetterAnswer[];
  @IsInt() @Min(0) total: number;
  @IsBoolean() has_more: boolean;
  @Nullable('string') next_cursor: string | null;
}
