import { durationMs } from '#api';
import { limits } from '#event';
import type { TopicConfig, TopicSettings } from '#log';
import type { StreamDefinition } from './stream-definition.js';

/** One event, its envelope and some room; a partition's batch of several events stays below it too. */
const maxMessageBytes = 2 * limits.eventBytes;
const unlimited = '-1';

/** Kafka removes whole segments only, and none that is still written to: a quarter is kept longer than asked for. */
const segmentsKept = 4;
const shortestSegmentMs = 60_000;
const longestSegmentMs = 7 * 24 * 60 * 60 * 1000;
/** A segment has to hold the largest batch. */
const smallestSegment = 2 * maxMessageBytes;
const largestSegment = 1024 * 1024 * 1024;

/** The settings that follow from a stream's retention; null is Kafka's default. */
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

/** The settings of a new stream's topic. */
export function streamTopicSettings(
  partitions: number,
  retention: StreamDefinition['retention'],
): TopicSettings & { config: Record<string, string> } {
  const config: TopicConfig = {
    'cleanup.policy': 'delete',
    'max.message.bytes': String(maxMessageBytes),
    ...retentionConfig(partitions, retention),
  };
  const set = Object.entries(config).filter((entry): entry is [string, string] => entry[1] !== null);
  return { partitions, config: Object.fromEntries(set) };
}
