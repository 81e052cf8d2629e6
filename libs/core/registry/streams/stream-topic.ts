import { durationMs } from '#api';
import { limits } from '#event';
import type { TopicConfigChange, NewTopicSettings } from '#kafka';
import type { StreamDefinition } from './stream-definition.js';

/**
 * Kafka's `max.message.bytes` of a stream's topic: twice the largest event, which leaves room for the envelope. A batch
 * of several events is smaller than this.
 */
const maxMessageBytes = 2 * limits.eventBytes;
const unlimited = '-1';

/**
 * Number of segments into which the retention of a partition is divided. Kafka deletes whole segments only, and never
 * the active one, so records are kept up to about a quarter longer than requested.
 */
const segmentsKept = 4;
const shortestSegmentMs = 60_000;
const longestSegmentMs = 7 * 24 * 60 * 60 * 1000;
/** Smallest segment size, in bytes: a segment must have room for the largest record batch. */
const smallestSegment = 2 * maxMessageBytes;
const largestSegment = 1024 * 1024 * 1024;

/** Returns the Kafka topic settings for a stream's retention; null stands for the default of the broker. */
export function retentionConfig(
  partitions: number,
  retention: StreamDefinition['retention'],
): Record<'retention.ms' | 'retention.bytes' | 'segment.ms' | 'segment.bytes', string | null> {
  const { time, bytes } = retention === 'unlimited' ? {} : retention;
  const ms = time === undefined ? undefined : durationMs(time);
  const share = bytes === undefined ? undefined : Math.max(Math.ceil(bytes / partitions), 1);
  return {
    'retention.ms': ms === undefined ? unlimited : String(ms),
    'retention.bytes': share === undefined ? unlimited : String(share),
    'segment.ms': ms === undefined ? null : segment(ms, { least: shortestSegmentMs, most: longestSegmentMs }),
    'segment.bytes':
      share === undefined ? null : segment(share, { least: smallestSegment, most: largestSegment }),
  };
}

function segment(kept: number, { least, most }: { least: number; most: number }): string {
  return String(Math.min(Math.max(Math.ceil(kept / segmentsKept), least), most));
}

/** Returns the number of partitions and the Kafka settings of a new stream's topic. */
export function streamTopicSettings(
  partitions: number,
  retention: StreamDefinition['retention'],
): NewTopicSettings & { config: Record<string, string> } {
  const config: TopicConfigChange = {
    'cleanup.policy': 'delete',
    'max.message.bytes': String(maxMessageBytes),
    ...retentionConfig(partitions, retention),
  };
  const set = Object.entries(config).filter((entry): entry is [string, string] => entry[1] !== null);
  return { partitions, config: Object.fromEntries(set) };
}
