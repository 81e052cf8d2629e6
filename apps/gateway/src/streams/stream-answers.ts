import { Type } from 'class-transformer';
import { IsArray, IsInt, IsString, Min, ValidateNested } from 'class-validator';
import { formatTime, limits } from '#event';
import { IsRetention } from '#api';
import type { StreamDefinition } from '#registry';
import type { StreamSummary } from '#store';
import { ListAnswer } from '../lists/list-answer.js';
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
  @IsRetention('By time, by bytes, by both, or `unlimited`.')
  retention: StreamDefinition['retention'];
  @IsInt()
  @Min(0)
  @Schema({ description: 'Versions of an entity between two automatic snapshots; 0: there are none.' })
  snapshot_every: number;
  @Schema(time) @IsString() created_at: string;
}

/** One stream, with what a list would ask Kafka too much for. */
export class StreamDetail extends StreamAnswer {
  @Nullable('integer', {
    description:
      'Seconds for which an `event_id` that is sent again is recognised, at the present rate of events: of the partition ' +
      'with the shortest time. Null if Kafka does not answer in time.',
  })
  id_window_seconds: number | null;
}

export class StreamList extends ListAnswer {
  @IsArray() @ValidateNested({ each: true }) @Type(() => StreamAnswer) streams: StreamAnswer[];
}

/** The answer about a stream; without a summary it has no events. */
export function streamAnswer(definition: StreamDefinition, summary: StreamSummary | undefined): StreamAnswer {
  const { stream, partitions, retention, created_at, snapshot_every = limits.snapshotEvery } = definition;
  const [first, last] = [summary?.first_timestamp ?? null, summary?.last_timestamp ?? null];
  return {
    stream,
    partitions,
    events: summary?.events ?? 0,
    first_timestamp: first === null ? null : formatTime(first),
    last_timestamp: last === null ? null : formatTime(last),
    retention,
    snapshot_every,
    created_at,
  };
}
