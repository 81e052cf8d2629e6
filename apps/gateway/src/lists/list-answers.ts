import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsInt, IsString, Min, ValidateNested } from 'class-validator';
import { Nullable } from '../openapi/nullable.js';
import { Schema } from '../openapi/schema.js';

const time = { type: 'string', format: 'date-time' } as const;

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
