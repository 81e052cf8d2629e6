import { streamNameOf } from '#event';
import type { RowBinaryWriter } from '../row-batch/row-binary.js';
import { formatFailureLocation } from '../pipeline-failure-location.js';
import type { DeadLetter } from '../store.js';

/** The columns of the ClickHouse table `dead_letters`, in the order in which `writeDeadLetter` writes them. */
export const deadLetterColumns = [
  'source',
  'stream',
  'partition',
  'offset',
  'reason',
  'error',
  'event',
  'created_at',
  'step',
  'streams',
] as const;

export function writeDeadLetter(out: RowBinaryWriter, letter: DeadLetter): void {
  out.string(letter.source);
  out.string(letter.stream);
  out.uint16(letter.partition);
  out.int64(letter.offset);
  out.string(letter.reason);
  out.string(letter.error);
  out.string(letter.event);
  out.int64(letter.created_at);
  out.string(formatFailureLocation(letter.step));
  out.strings(letter.streams ?? [streamNameOf(letter.stream)]);
}
