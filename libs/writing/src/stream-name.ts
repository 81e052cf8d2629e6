import { ProblemError } from '#api';
import { streamNamePattern, streamNameRule } from '#event';
import { PathParameter } from '#http';

/** Injects the stream name of the path. */
export function StreamName(): ParameterDecorator {
  const schema = { type: 'string', pattern: streamNamePattern.source, example: 'access' };
  return PathParameter({ name: 'stream', schema }, readStreamName);
}

/** Validates the stream name of the path. @throws ProblemError 400 `invalid_request` */
function readStreamName(stream: string): string {
  if (streamNamePattern.test(stream)) return stream;
  throw new ProblemError('invalid_request', 'The stream name in the path is not valid.', {
    errors: [{ pointer: 'stream', detail: streamNameRule }],
  });
}
