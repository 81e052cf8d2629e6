import { ProblemError } from '#api';
import type { ProjectionGeneration, ProjectionDefinition } from '#registry';
import type { ProjectionStatsReader } from '../projection-stats-reader.js';
import '../projection-problems.js';

/** Seconds after which a client should try again. */
const retryAfterSeconds = 2;

/**
 * Resolves with the generation that is serving.
 * @throws ProblemError 503 `projection_building` with the progress of the first generation
 */
export async function servingGeneration(
  definition: ProjectionDefinition,
  stats: ProjectionStatsReader,
  client: AbortSignal,
): Promise<ProjectionGeneration> {
  if (definition.serving) return definition.serving;
  const detail = await reason(definition, stats, client);
  throw new ProblemError('projection_building', detail, { retryAfterSeconds });
}

async function reason(
  definition: ProjectionDefinition,
  stats: ProjectionStatsReader,
  client: AbortSignal,
): Promise<string> {
  const { name, building, paused, failure } = definition;
  if (failure !== null)
    return `${name} failed while it was built for the first time: ${failure}. A reset rebuilds it.`;
  if (paused) return `${name} was paused while it was built for the first time: resume it.`;
  const known = building && (await stats.of([definition], client)).get(building.id);
  if (!known) return `${name} is being built for the first time.`;
  const { lag, total } = known;
  return `${name} is being built for the first time: ${total - lag} of ${total} records have been processed.`;
}
