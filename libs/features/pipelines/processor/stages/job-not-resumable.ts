import type { RecordBatch } from '#kafka';
import { NotResumableError } from '#processor-kit';

/** Returns the error for an internal topic that no longer exists. */
export function missingTopicError(topic: string): NotResumableError {
  return new NotResumableError(`The internal topic ${topic} is gone with its records. Reset the pipeline.`);
}

/**
 * Checks that all records of a batch of an internal topic can be decoded, because a job must not skip a record.
 * @param next Offset below which all records are processed.
 * @throws NotResumableError when a record at or above `next` cannot be decoded
 */
export function requireReadable({ topic, undecodable = [] }: RecordBatch, next: number): void {
  const lost = undecodable.find(({ lastOffset }) => lastOffset >= next);
  if (!lost) return;
  const what = `records of the internal topic ${topic} from offset ${lost.offset} on cannot be read: ${lost.reason}`;
  throw new NotResumableError(`Some ${what}. Reset the pipeline.`);
}
