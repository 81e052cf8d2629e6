import type { StreamAccess } from '#api';
import type { ProjectionSpec } from '#registry';
import type { ReadableStreams } from '../access/readable-streams.js';

/**
 * Refuses a projection of streams that do not exist or may not be seen.
 * @throws ProblemError 404 `stream_not_found`, 503 `overloaded`
 */
export async function requireSources(
  { source: { streams: names } }: Pick<ProjectionSpec, 'source'>,
  { access, streams, client }: { access: StreamAccess; streams: ReadableStreams; client: AbortSignal },
): Promise<void> {
  await streams.requireLive(names, {
    ...{ access, client },
    pointerOf: (stream) => `/source/streams/${names.indexOf(stream)}`,
  });
}
