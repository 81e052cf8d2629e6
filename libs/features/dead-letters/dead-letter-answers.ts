import { Type } from 'class-transformer';
import { IsArray, IsInt, IsString, Min, ValidateNested } from 'class-validator';
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

/** Converts a dead letter to its form in the API. */
export function deadLetterAnswer({
  created_at,
  replayed_at,
  step,
  ...letter
}: StoredDeadLetter): DeadLetterAnswer {
  return {
    ...letter,
    operator: step?.operator || null,
    created_at: formatTime(created_at),
    replayed_at: replayed_at === null ? null : formatTime(replayed_at),
  };
}
