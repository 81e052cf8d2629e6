import { ProblemError } from '#api';
import { streamNamePattern, streamNameRule } from '#event';
import { PathParameter } from '#http';

/** Parameter decorator of a handler: injects the valid stream name of the path parameter `stream`. */
export function StreamName(): ParameterDecorator {
  const schema = { type: 'string', pattern: streamNamePattern.source, example: 'access' };
  return PathParameter({ name: 'stream', schema }, readStreamName);
}

/** Validates a stream name in the path of a request. @throws ProblemError 400 `invalid_request` */
function readStreamName(stream: string): string {
  if (streamNamePattern.test(stream)) return stream;
  throw new ProblemError('invalid_request', 'The stream name in the path is not valid.', {
    errors: [{ pointer: 'stream', detail: streamNameRule }],
  });
}
