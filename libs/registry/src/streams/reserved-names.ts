import { auditStream, ProblemError, reservedStreamPrefix } from '#api';
import { collisionKey } from '#event';

const reserved = collisionKey(reservedStreamPrefix);

/**
 * Rejects the system's own names, and names that Kafka cannot distinguish from them: a stream `tributary_audit` would
 * block the topic of the audit stream.
 * @throws ProblemError stream_reserved
 */
export function refuseReserved(stream: string): void {
  if (!collisionKey(stream).startsWith(reserved)) return;
  throw new ProblemError(
    'stream_reserved',
    `Names that start with "${reservedStreamPrefix}" or "${reserved}" are reserved for the system, such as ${auditStream}: choose another one.`,
  );
}
