import { permitsStream, ProblemError, type StreamAccess } from '#api';
import { streamNamePattern } from '#event';
import { streamNotFound } from '#registry';
import { PathParameter } from '#http';
import { refuseReserved } from '#gateway-kit';

/** Injects the stream name from the path of the URL, which answers 400 if it is not valid. */
export function StreamName(): ParameterDecorator {
  const pattern = streamNamePattern.source;
  return PathParameter(
    { name: 'stream', schema: { type: 'string', pattern, example: 'orders' } },
    (stream) => {
      if (streamNamePattern.test(stream)) return stream;
      const detail = `must match ${pattern}`;
      throw new ProblemError('invalid_request', `The name of a stream ${detail}.`, {
        errors: [{ pointer: 'stream', detail }],
      });
    },
  );
}

/**
 * Refuses a stream that the caller may not change. A stream that is not visible to the caller is answered as if it did
 * not exist.
 * @throws ProblemError 403 `stream_reserved`, 404 `stream_not_found`
 */
export function requireChangeable(stream: string, access: StreamAccess): void {
  refuseReserved(stream, { pointer: 'stream' });
  if (!permitsStream(access, stream)) throw streamNotFound(stream);
}
