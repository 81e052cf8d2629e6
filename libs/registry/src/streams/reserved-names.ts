import { auditStream, ProblemError, reservedStreamPrefix } from '#api';
import { collisionKey } from '#event';

const reserved = collisionKey(reservedStreamPrefix);

/**
 * Names that Kafka takes for one of the system's are refused as well: a stream `tributary_audit` would stand where the
 * audit has to.
 * @throws ProblemError stream_reserved
 */
export function refuseReserved(stream: string): void {
  if (!collisionKey(stream).startsWith(reserved)) return;
  throw new ProblemError(
    'stream_reserved',
    `Names that start with "${reservedStreamPrefix}" or "${reserved}" are the system's own, such as ${auditStream}: choose another one.`,
  );
}
