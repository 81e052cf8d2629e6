import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsInt, IsString, Min, ValidateNested } from 'class-validator';
import { JsonSchemaPart } from '#gateway-kit';

/** OpenAPI schema of what a scrub has found in one stream so far. */
class ScrubbedStream {
  @IsString() stream: string;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({ description: 'Partitions of the stream that have records.' })
  partitions: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({ description: 'Partitions whose pass is complete.' })
  complete_partitions: number;
  @IsInt() @Min(0) @JsonSchemaPart({ description: 'Events that were compared.' }) compared: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({
    description: 'Events that ClickHouse had lost, completely or in a table, and that were inserted again.',
  })
  repaired: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({ description: 'Events that ClickHouse has and Kafka has not. They stay as they are.' })
  unlogged: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({
    description:
      'Events that ClickHouse may lack and that were not inserted, because they may repeat events that Kafka no longer has.',
  })
  undecided: number;
}

/** Answer of `POST /api/v1/scrubs` and `GET /api/v1/scrubs/{scrub_id}`. */
export class ScrubAnswer {
  @IsString() @JsonSchemaPart({ format: 'uuid' }) scrub_id: string;
  @IsBoolean()
  @JsonSchemaPart({ description: 'Whether the pass over every partition is complete.' })
  complete: boolean;
  @IsArray() @ValidateNested({ each: true }) @Type(() => ScrubbedStream) streams: ScrubbedStream[];
}
