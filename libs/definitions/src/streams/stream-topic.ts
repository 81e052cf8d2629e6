import { limits } from '#contracts';
import type { TopicSettings } from '#log';
import type { StreamDefinition } from '../definitions.js';

/** One event, its envelope and some room; a partition's batch of several events stays below it too. */
const maxMessageBytes = 2 * limits.eventBytes;
const unlimited = '-1';

/** The settings of a stream's topic. */
export function streamTopicSettings(
  partitions: number,
  retention: StreamDefinition['retention'],
): TopicSettings & { config: Record<string, string> } {
  const { time, bytes } = retention === 'unlimited' ? {} : retention;
  return {
    partitions,
    config: {
      'cleanup.policy': 'delete',
      'max.message.bytes': String(maxMessageBytes),
      'retention.ms': time === undefined ? unlimited : String(durationMs(time)),
      'retention.bytes': bytes === undefined ? unlimited : String(Math.max(Math.ceil(bytes / partitions), 1)),
    },
  };
}

const short = /^(\d+)([smhd])$/;
const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const duration = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

/**
 * Milliseconds of `90s`, `15m`, `12h` or `7d`, or of an ISO 8601 duration of days, hours, minutes and seconds, such as
 * `P30D` or `PT12H`.
 * @throws RangeError for anything else
 */
export function durationMs(text: string): number {
  const [, count, unit] = short.exec(text) ?? [];
  if (Number(count) > 0) return Number(count) * unitMs[unit as keyof typeof unitMs];
  const match = duration.exec(text);
  const [days, hours, minutes, seconds] = (match?.slice(1) ?? []).map((part) => Number(part ?? 0));
  const total = (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0);
  if (!match || total <= 0) throw new RangeError('not a duration such as 7d, P30D or PT12H');
  return total * 1000;
}
