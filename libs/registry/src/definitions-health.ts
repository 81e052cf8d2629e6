import type { Definitions } from './definitions.js';

/** The definitions are those of some time ago: nothing new is read. */
export class DefinitionsStoppedError extends Error {
  override readonly name = 'DefinitionsStoppedError';
}

/** What a health check looks at. */
export type CheckedDefinitions = Pick<
  Definitions,
  'streams' | 'projections' | 'pipelines' | 'unreadable' | 'failure'
>;

/**
 * What a health check says about the definitions. A projection or pipeline that has failed is counted, and is nothing that
 * the process does wrong; it is not named, as health is for every key.
 * @throws DefinitionsStoppedError once they are not followed any more
 */
export function definitionsHealth(definitions: CheckedDefinitions): {
  streams: number;
  unreadable: number;
  failed_projections: number;
  failed_pipelines: number;
} {
  const { failure, unreadable, projections, pipelines } = definitions;
  if (failure) throw new DefinitionsStoppedError('definitions are no longer followed', { cause: failure });
  return {
    streams: definitions.streams().length,
    unreadable,
    failed_projections: countFailed(projections.all()),
    failed_pipelines: countFailed(pipelines.all()),
  };
}

function countFailed(all: readonly { failure: string | null }[]): number {
  return all.filter(({ failure }) => failure !== null).length;
}

/** Milliseconds without an answer of the log after which the definitions are said to be old. */
const oldMs = 30_000;

/** What a health check says about how old the definitions are. @throws DefinitionsStoppedError when that is too old */
export function definitionsAge({ ageMs }: Pick<Definitions, 'ageMs'>): { age_seconds: number } {
  const age_seconds = Math.round(ageMs / 1000);
  if (ageMs <= oldMs) return { age_seconds };
  throw new DefinitionsStoppedError(`the log has said nothing of the definitions for ${age_seconds} s`);
}
