import type { RecordBatch } from '#log';

/** Thrown when a job cannot continue from its checkpoint. The pipeline must be reset. */
export class CheckpointLostError extends Error {
  override readonly name = 'CheckpointLostError';
}

/** Returns the error for an internal topic that no longer exists. */
export function missingTopicError(topic: string): CheckpointLostError {
  return new CheckpointLostError(`The internal topic ${topic} is gone with its records. Reset the pipeline.`);
}

/**
 * Checks that all records of a batch of an internal topic can be decoded, because none may be skipped.
 * @param next Offset below which all records are processed.
 * @throws CheckpointLostError when a record from `next` on cannot be decoded
 */
export function requireReadable({ topic, undecodable = [] }: RecordBatch, next: number): void {
  const lost = undecodable.find(({ lastOffset }) => lastOffset >= next);
  if (!lost) return;
  const what = `records of the internal topic ${topic} from offset ${lost.offset} on cannot be read: ${lost.reason}`;
  throw new CheckpointLostError(`Some ${what}. Reset the pipeline.`);
}
