import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsInt, IsString, IsUUID, Min, ValidateNested } from 'class-validator';
import { formatTime } from '#json';
import type { StoredDeadLetter } from '#store';
import { ListAnswer, Nullable, JsonSchemaPart } from '#gateway-kit';

const time = { type: 'string', format: 'date-time' } as const;

/** A record that could not become an event, or an event that a projection or a pipeline could not process. */
class DeadLetterAnswer {
  @IsString() id: string;
  @IsString() source: string;
  @IsString() stream: string;
  @IsInt() @Min(0) partition: number;
  @IsInt() @Min(0) offset: number;
  @Nullable('string', {
    description: 'For a pipeline: the operator that failed, as a JSON pointer into the definition.',
  })
  operator: string | null;
  @IsString()
  @JsonSchemaPart({
    description:
      'A stable code: `unreadable`, `refused_by_store`, `cannot_be_folded`, `operator_failed`, `late_event`, ' +
      '`schema_violation`, `webhook_failed`, `refused_at_intake`.',
  })
  reason: string;
  @IsString() error: string;
  @IsString()
  @JsonSchemaPart({
    description: 'The record as text, or `base64:` followed by its bytes when they are not UTF-8.',
  })
  event: string;
  @JsonSchemaPart(time) @IsString() created_at: string;
  @Nullable('string', { format: 'date-time', description: 'Time of the last replay.' })
  replayed_at: string | null;
}

/** Answer of `GET /api/v1/dead-letters`: one page of dead letters. */
export class DeadLetterList extends ListAnswer {
  @IsArray() @ValidateNested({ each: true }) @Type(() => DeadLetterAnswer) dead_letters: DeadLetterAnswer[];
}

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

/** Converts a dead letter to its form in the API. */
export function deadLetterAnswer(deadLetter: StoredDeadLetter): DeadLetterAnswer {
  const { created_at, replayed_at, step, ...same } = deadLetter;
  return {
    ...same,
    operator: step?.operator || null,
    created_at: formatTime(created_at),
    replayed_at: replayed_at === null ? null : formatTime(replayed_at),
  };
}
