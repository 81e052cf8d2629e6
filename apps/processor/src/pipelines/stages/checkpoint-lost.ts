import type { RecordBatch } from '#log';

/** The job cannot go on from where it stands. */
export class CheckpointLostError extends Error {
  override readonly name = 'CheckpointLostError';
}

/** An internal topic is not there any more, and what was in it with it. */
export function goneTopic(topic: string): CheckpointLostError {
  return new CheckpointLostError(`Its topic ${topic} is gone, with what was in it. Reset the pipeline.`);
}

/**
 * Of an internal topic nothing may be passed over.
 * @param next what is below it is done
 * @throws CheckpointLostError when Kafka has records that nobody can read: what they are is missing here
 */
export function requireReadable({ topic, undecodable = [] }: RecordBatch, next: number): void {
  const lost = undecodable.find(({ lastOffset }) => lastOffset >= next);
  if (!lost) return;
  const what = `records of its topic ${topic} from offset ${lost.offset} on cannot be read: ${lost.reason}`;
  throw new CheckpointLostError(`Some ${what}. Reset the pipeline.`);
}
