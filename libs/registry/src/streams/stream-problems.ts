import { ProblemError } from '#api';
import { TopicRefusedError } from '#log';
import { toProblem } from '../changes/topic-writer.js';
import type { StreamDefinition } from './stream-definition.js';

/** The definition, if it is of this stream: names that Kafka takes for the same have one. @throws ProblemError stream_not_found */
export function foundStream(current: StreamDefinition | undefined, name: string): StreamDefinition {
  if (current?.stream === name) return current;
  throw streamNotFound(name);
}

/** Says that no stream has this name. */
export function streamNotFound(name: string): ProblemError {
  return new ProblemError('stream_not_found', `There is no stream ${name}.`);
}

/** Says that its name cannot be used yet. */
export function beingDeleted(stream: string): ProblemError {
  return new ProblemError(
    'stream_being_deleted',
    `The stream ${stream} is being deleted: its name can be used again when that is over.`,
  );
}

/** Does not name the other stream: the caller may not be allowed to know it. */
export function collision(stream: string): ProblemError {
  return new ProblemError(
    'stream_name_collision',
    `Kafka cannot tell the name ${stream} from that of another stream: it takes "." and "_" for the same.`,
  );
}

/** Turns an error of the log, or of a duration, into the problem that the caller is told. Returns other errors as they are. */
export function streamProblem(error: unknown, stream: string): unknown {
  if (error instanceof RangeError)
    return new ProblemError('invalid_request', error.message, { cause: error });
  if (error instanceof TopicRefusedError) {
    if (error.reason === 'name') return collision(stream);
    const detail = "Kafka refuses the settings of the stream's topic.";
    return new ProblemError('internal_error', detail, { cause: error });
  }
  return toProblem(error, `Kafka could not do in time what the stream ${stream} needs. Repeating goes on.`);
}
