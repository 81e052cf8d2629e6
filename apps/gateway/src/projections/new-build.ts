import { randomBytes } from 'node:crypto';
import { formatTime } from '#event';
import type { ProjectionBuild, ProjectionSpec } from '#registry';
import { boundSources, type BoundSourcesEngines } from '../sources/bound-sources.js';

const idBytes = 12;

/**
 * A build that begins now, bound to the streams that have their names now.
 * @throws ProblemError 404 `stream_not_found` @throws LogUnavailableError
 */
export async function newBuild(
  spec: ProjectionSpec,
  engines: BoundSourcesEngines,
): Promise<Omit<ProjectionBuild, 'version'>> {
  const { streams } = spec.source;
  return {
    id: randomBytes(idBytes).toString('hex'),
    spec,
    sources: await boundSources({ streams, from: spec.from }, engines),
    started_at: formatTime(Date.now() * 1000),
  };
}
