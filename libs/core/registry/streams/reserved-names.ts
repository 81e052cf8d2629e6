import { auditStream, ProblemError, reservedStreamPrefix } from '#api';
import { topicCollisionKey } from '#event';
import './stream-problems.js';

const reserved = topicCollisionKey(reservedStreamPrefix);

/**
 * Rejects the system's own names, and names that Kafka cannot distinguish from them: a stream `tributary_audit` would
 * block the topic of the audit stream.
 * @throws ProblemError stream_reserved
 */
export function rejectReservedName(stream: string): void {
  if (!topicCollisionKey(stream).startsWith(reserved)) return;
  throw new ProblemError(
    'stream_reserved',
    `Names that start with "${reservedStreamPrefix}" or "${reserved}" are reserved for the system, such as ${auditStream}: choose another one.`,
  );
}
