import { Type } from 'class-transformer';
import { IsArray, IsInt, IsString, Min, ValidateNested } from 'class-validator';
import { formatTime, type EpochMicros } from '#json';
import { limits } from '#event';
import { IsRetention } from '#api';
import type { StreamDefinition } from '#registry';
import type { StreamSummary } from '#store';
import { ListAnswer, Nullable, JsonSchemaPart } from '#gateway-kit';
import type { StreamSizeAndLag } from './stream-size-and-lag-reader.js';

const time = { type: 'string', format: 'date-time' } as const;

/** OpenAPI schema of a stream: its definition, and a summary of its events that can be queried. */
class StreamAnswer {
  @IsString() stream: string;
  @IsInt() @Min(1) partitions: number;
  @IsInt() @Min(0) events: number;
  @Nullable('integer', {
    description:
      'Bytes of the records in Kafka, without replicas. The limit `bytes` of the retention applies to them. Null if ' +
      'Kafka does not answer in time, or does not let the gateway describe the cluster.',
  })
  bytes: number | null;
  @Nullable('integer', {
    description: 'Records in Kafka that queries do not contain yet; null if Kafka does not answer in time.',
  })
  lag: number | null;
  @Nullable('string', { format: 'date-time' }) first_timestamp: string | null;
  @Nullable('string', { format: 'date-time' }) last_timestamp: string | null;
  @IsRetention('Retention by time, by bytes, by both, or `unlimited`.')
  retention: StreamDefinition['retention'];
  @IsInt()
  @Min(0)
  @JsonSchemaPart({
    description: 'Versions of an entity between two automatic snapshots; 0 means that there are none.',
  })
  snapshot_every: number;
  @JsonSchemaPart(time) @IsString() created_at: string;
}

/**
 * Answer of `GET /api/v1/streams/{stream}`: the stream, with a member that would take too many Kafka requests for a
 * list of streams.
 */
export class StreamDetail extends StreamAnswer {
  @Nullable('integer', {
    description:
      'Seconds for which a repeated `event_id` is recognised as a duplicate, at the current rate of ' +
      'events: 600 or more with the default settings, up to 20 000 events per second in a partition. It is the value of the partition with the shortest time; null if Kafka does not answer in ' +
      'time.',
  })
  id_window_seconds: number | null;
}

/** Answer of `GET /api/v1/streams`: one page of streams. */
export class StreamList extends ListAnswer {
  @IsArray() @ValidateNested({ each: true }) @Type(() => StreamAnswer) streams: StreamAnswer[];
}

/** Converts a stream to its form in the API. `summary` is undefined for a stream without events. */
export function streamAnswer(
  { stream, partitions, retention, created_at, snapshot_every = limits.snapshotEvery }: StreamDefinition,
  summary: StreamSummary | undefined,
  { bytes, lag }: StreamSizeAndLag,
): StreamAnswer {
  return {
    stream,
    partitions,
    events: summary?.events ?? 0,
    bytes,
    lag,
    first_timestamp: formatted(summary?.first_timestamp),
    last_timestamp: formatted(summary?.last_timestamp),
    retention,
    snapshot_every,
    created_at,
  };
}

function formatted(time: EpochMicros | null | undefined): string | null {
  return time == null ? null : formatTime(time);
}
