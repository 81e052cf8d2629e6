import { ProblemError } from '#api';
import { streamNamePattern, streamNameRule } from '#event';
import { PathParameter } from '#http';

/** Hands over the stream in the address. */
export function StreamName(): ParameterDecorator {
  const schema = { type: 'string', pattern: streamNamePattern.source, example: 'access' };
  return PathParameter({ name: 'stream', schema }, readStreamName);
}

/** @throws ProblemError 400 */
function readStreamName(stream: string): string {
  if (streamNamePattern.test(stream)) return stream;
  throw new ProblemError('invalid_request', 'The stream of the address is not valid.', {
    errors: [{ pointer: 'stream', detail: streamNameRule }],
  });
}
