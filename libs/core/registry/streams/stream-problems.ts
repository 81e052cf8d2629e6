import { auditStream, defineProblems, ProblemError, reservedStreamPrefix } from '#api';
import { topicCollisionKey } from '#event';
import { TopicRejectedError } from '#kafka';
import { logErrorToProblem } from '../changes/definitions-topic-writer.js';

export const streamProblems = defineProblems({
  stream_reserved: { status: 403, title: 'The name is reserved for the system' },
  stream_name_collision: { status: 409, title: 'The name collides with that of another stream' },
  stream_limit_reached: { status: 409, title: 'The number of streams has reached its limit' },
  stream_being_deleted: { status: 409, title: 'The stream is being deleted' },
});

declare module '#api' {
  interface ProblemCatalogue extends Readonly<typeof streamProblems> {}
}

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

/** Returns the problem for a stream that does not exist. */
export function streamNotFound(name: string): ProblemError {
  return new ProblemError('stream_not_found', `There is no stream ${name}.`);
}

/** Returns the problem for a name whose stream is still being deleted. */
export function streamBeingDeleted(stream: string): ProblemError {
  return new ProblemError(
    'stream_being_deleted',
    `The stream ${stream} is being deleted: its name is free again after that.`,
  );
}

/** Returns the problem for a colliding name. It does not name the other stream, which may be hidden from the caller. */
export function streamNameCollision(stream: string): ProblemError {
  return new ProblemError(
    'stream_name_collision',
    `Kafka cannot distinguish the name ${stream} from that of another stream: it treats "." and "_" as equal.`,
  );
}

/** Maps a log error, or the RangeError of an invalid duration, to the caller's problem. Returns others unchanged. */
export function streamProblem(error: unknown, stream: string): unknown {
  if (error instanceof RangeError)
    return new ProblemError('invalid_request', error.message, { cause: error });
  if (error instanceof TopicRejectedError) {
    if (error.reason === 'name') return streamNameCollision(stream);
    const detail = "Kafka rejected the settings of the stream's topic.";
    return new ProblemError('internal_error', detail, { cause: error });
  }
  return logErrorToProblem(
    error,
    `Kafka did not complete the change of the stream ${stream} in time. Repeat the request to continue.`,
  );
}
