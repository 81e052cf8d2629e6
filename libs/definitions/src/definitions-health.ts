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
