import type { Definitions } from './definitions.js';

/** The definitions are those of some time ago: nothing new is read. */
export class DefinitionsStoppedError extends Error {
  override readonly name = 'DefinitionsStoppedError';
}

/** What a health check says about the definitions. @throws DefinitionsStoppedError once they are not followed any more */
export function definitionsHealth(definitions: Pick<Definitions, 'streams' | 'unreadable' | 'failure'>): {
  streams: number;
  unreadable: number;
} {
  const { failure, unreadable } = definitions;
  if (failure) throw new DefinitionsStoppedError('definitions are no longer followed', { cause: failure });
  return { streams: definitions.streams().length, unreadable };
}

/** Milliseconds without an answer of the log after which the definitions are said to be old. */
const oldMs = 30_000;

/** What a health check says about how old the definitions are. @throws DefinitionsStoppedError when that is too old */
export function definitionsAge({ ageMs }: Pick<Definitions, 'ageMs'>): { age_seconds: number } {
  const age_seconds = Math.round(ageMs / 1000);
  if (ageMs <= oldMs) return { age_seconds };
  throw new DefinitionsStoppedError(`the log has said nothing of the definitions for ${age_seconds} s`);
}
