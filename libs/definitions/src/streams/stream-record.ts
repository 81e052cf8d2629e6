import { parseTime } from '#contracts';
import type { StreamDefinition } from '../definitions.js';
import { UnreadableDefinitionError } from '../fold.js';

/** The key of a stream's records in the definitions topic. */
export function streamRecordKey(stream: string): string {
  return `stream:${stream}`;
}

/** The value: `{"partitions":8,"retention":"unlimited","created_at":"…"}`; the name is in the key. */
export function writeStreamRecord({ partitions, retention, created_at }: StreamDefinition): string {
  return JSON.stringify({ partitions, retention, created_at });
}

/** @throws UnreadableDefinitionError */
export function readStreamRecord(stream: string, value: unknown): StreamDefinition {
  if (!isObject(value)) throw new UnreadableDefinitionError('not an object');
  const { partitions, retention, created_at } = value;
  if (!isPartitionCount(partitions)) throw new UnreadableDefinitionError('partitions is not a count');
  if (!isRetention(retention)) throw new UnreadableDefinitionError('retention is not one');
  if (typeof created_at !== 'string' || parseTime(created_at) === undefined) {
    throw new UnreadableDefinitionError('created_at is not a time');
  }
  return { stream, partitions, retention, created_at };
}

/** A topic that was there before may have more partitions than a request may ask for, so there is no upper bound. */
function isPartitionCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isRetention(value: unknown): value is StreamDefinition['retention'] {
  if (value === 'unlimited') return true;
  if (!isObject(value)) return false;
  const { time, bytes } = value;
  return (
    (time === undefined || typeof time === 'string') && (bytes === undefined || Number.isSafeInteger(bytes))
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
