import type { Definitions } from './definitions.js';

/** This process's view is outdated: the topic's reader has failed, or Kafka has not answered it for 30 seconds. */
export class DefinitionsOutdatedError extends Error {
  override readonly name = 'DefinitionsOutdatedError';
}

/** The members of `Definitions` that a health check reads. */
export type DefinitionsHealthInput = Pick<Definitions, 'streams' | 'failed' | 'unreadable' | 'failure'>;

/**
 * Returns the health of the definitions. A failed definition, such as a pipeline, and a definition of a newer version
 * degrade the check, but do not fail it, because the process is not the cause. The health contains counts and no names,
 * because every API key can read it: `failed_projections` is the number of failed projections.
 * @throws DefinitionsOutdatedError if the definitions topic is no longer followed
 */
export function definitionsHealth(definitions: DefinitionsHealthInput): {
  status: 'ok' | 'degraded';
  streams: number;
  unreadable: number;
  [failed: `failed_${string}`]: number;
} {
  const { failure, unreadable } = definitions;
  if (failure)
    throw new DefinitionsOutdatedError('the definitions topic is no longer followed', { cause: failure });
  const failed = Object.entries(definitions.failed());
  return {
    status: unreadable > 0 || failed.some(([, count]) => count > 0) ? 'degraded' : 'ok',
    streams: definitions.streams().length,
    unreadable,
    ...Object.fromEntries(failed.map(([store, count]) => [`failed_${store}`, count])),
  };
}

/** Milliseconds without an answer of the log after which the definitions count as outdated. */
const oldMs = 30_000;

/** Returns the seconds since Kafka last answered a read of the topic. @throws DefinitionsOutdatedError above 30 */
export function definitionsAge({ ageMs }: Pick<Definitions, 'ageMs'>): { age_seconds: number } {
  const age_seconds = Math.round(ageMs / 1000);
  if (ageMs <= oldMs) return { age_seconds };
  throw new DefinitionsOutdatedError(
    `the log has not answered a read of the definitions topic for ${age_seconds} s`,
  );
}
