import type { StreamAccess } from '#contracts';
import type { ProjectionSpec } from '#definitions';
import { requirePermitted } from '../access/permit.js';
import type { ReadableStreams } from '../access/readable-streams.js';

/**
 * Refuses what is to fold streams that may not be seen, or are not there.
 * @throws ProblemError 403 `stream_forbidden`, 404 `stream_not_found`, 503 `overloaded`
 */
export async function requireSources(
  { source: { streams: names } }: Pick<ProjectionSpec, 'source'>,
  { access, streams, client }: { access: StreamAccess; streams: ReadableStreams; client: AbortSignal },
): Promise<void> {
  requirePermitted(access, names, { pointer: '/source/streams' });
  await streams.requireLive(names, {
    client,
    pointerOf: (stream) => `/source/streams/${names.indexOf(stream)}`,
  });
}
