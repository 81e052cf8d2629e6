import { isUtf8 } from 'node:buffer';
import type { RejectedEventRecord } from '#event';
import type { RecordBatch } from '#kafka';
import type { DeadLetter } from '#store';
import type { UnreadableRecord } from './partition-row-builder.js';

interface PartitionWithStart {
  stream: string;
  partition: number;
  assignment: { position: number };
}

/**
 * Returns the dead letters of a batch: one dead letter for each record that is not an event, and one for each offset
 * range that the Kafka client cannot decode. `createdAt` is in microseconds since 1970.
 */
export function deadLettersOf(
  { stream, partition, assignment }: PartitionWithStart,
  { unreadable, batch }: { unreadable: readonly UnreadableRecord[]; batch: RecordBatch },
  createdAt: number,
): DeadLetter[] {
  const ranges = (batch.undecodable ?? []).filter(({ lastOffset }) => lastOffset >= assignment.position);
  const shared = { source: 'materializer', stream, partition, created_at: createdAt } as const;
  return [
    ...unreadable.map(({ record, error, rejected }): DeadLetter => ({
      ...shared,
      offset: record.offset,
      reason: rejected ? 'refused_at_intake' : 'unreadable',
      error: rejected ? rejectionText(rejected) : error,
      event: textOf(record.value),
    })),
    ...ranges.map(({ offset, lastOffset, reason }): DeadLetter => ({
      ...shared,
      offset,
      reason: 'unreadable',
      error: `offsets ${offset} to ${lastOffset}: ${reason}`,
      event: '',
    })),
  ];
}

/** Formats the rejection of an event as one line, with the JSON pointer and the detail of each error. */
function rejectionText({ refused: { code, detail, errors } }: RejectedEventRecord): string {
  const failures = errors.map(({ pointer, detail: what }) => `${pointer} ${what}`).join('; ');
  return `${code}: ${detail}${failures && ` (${failures})`}`;
}

function textOf(value: Buffer | null): string {
  if (value === null) return '';
  return isUtf8(value) ? value.toString() : `base64:${value.toString('base64')}`;
}
