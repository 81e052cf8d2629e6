import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsInt, IsString, IsUUID, Min, ValidateNested } from 'class-validator';
import { Nullable, JsonSchemaPart } from '#gateway-kit';

/** An event that a replay has written. */
export class ReplayWrittenEventAnswer {
  @IsString() @JsonSchemaPart({ description: 'Id of the dead letter.' }) id: string;
  @IsUUID() event_id: string;
  @IsString() stream: string;
  @IsInt() @Min(0) partition: number;
  @IsInt() @Min(0) offset: number;
}

/** A dead letter that was not replayed, and why. */
class UnreplayedDeadLetterAnswer {
  @IsString() id: string;
  @IsString() detail: string;
}

/** Answer of `POST /api/v1/dead-letters/replay`: how many dead letters were replayed, and which failed. */
export class ReplayAnswer {
  @IsBoolean() dry_run: boolean;
  @IsInt() @Min(0) @JsonSchemaPart({ description: 'Dead letters that match the request.' }) matched: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({
    description:
      'Dead letters that became events, or continue in their pipelines; with `dry_run`, those that would.',
  })
  replayed: number;
  @IsInt()
  @Min(0)
  @JsonSchemaPart({ description: 'Dead letters that had been replayed before.' })
  skipped: number;
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => UnreplayedDeadLetterAnswer)
  failed: UnreplayedDeadLetterAnswer[];
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ReplayWrittenEventAnswer)
  @JsonSchemaPart({
    description: 'Events that the replay wrote to streams, in the order of the log; none with `dry_run`.',
  })
  events: ReplayWrittenEventAnswer[];
  @IsBoolean() has_more: boolean;
  @Nullable('string') next_cursor: string | null;
}
