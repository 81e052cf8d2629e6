import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsInt, IsString, Min, ValidateNested } from 'class-validator';
import { Nullable, JsonSchemaPart } from '#gateway-kit';

const time = { type: 'string', format: 'date-time' } as const;

/** An entity in a list: its stream, id and latest version, without its state. */
class EntityAnswer {
  @IsString() stream: string;
  @IsString() entity_id: string;
  @IsInt() @Min(1) version: number;
  @JsonSchemaPart(time) @IsString() last_timestamp: string;
}

/** Answer of `GET /api/v1/entities`: one page of entities. */
export class EntityList {
  @IsArray() @ValidateNested({ each: true }) @Type(() => EntityAnswer) entities: EntityAnswer[];
  @IsInt() @Min(0) count: number;
  @IsBoolean() has_more: boolean;
  @Nullable('string') next_cursor: string | null;
}
