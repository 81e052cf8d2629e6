import { ProblemError } from '#api';
import { readDefinition } from '../resources/read-definition.js';
import { UnreadableDefinitionError, type ResourceKind } from '../resources/resource-kind.js';
import type { ResourceStore } from '../resources/resource-store.js';
import { Erasure, erasureName } from './erasure.js';

declare module '../resources/resource-store.js' {
  interface ResourceStores {
    /** Erasures of entities, named by `erasureName(stream, entity_hash)`. */
    erasures: ResourceStore<Erasure>;
  }
}

const slot = '0';
const mostErasures = 100_000;

/** Rules of erasures. Each record contains a whole erasure; a later erasure of the same entity replaces it. */
export const erasureKind: ResourceKind<Erasure> = {
  kind: 'erasure',
  store: 'erasures',
  most: mostErasures,
  full: () =>
    new ProblemError('definition_limit_reached', `The limit of ${mostErasures} erasures is reached.`),
  nameOf: erasureName,
  identityOf: (name) => name,
  write: (value) => ({ slot, body: { ...value } }),
  read: (identity, { body }) => {
    const erasure = readDefinition(Erasure, body);
    if (erasureName(erasure) !== identity)
      throw new UnreadableDefinitionError('stream and entity_hash differ from the record key');
    return erasure;
  },
  compose: (parts) => parts.at(-1) as Erasure,
  eventType: (_before, after) => (after ? 'entity.erasure_begun' : 'entity.erasure_forgotten'),
  redact: (value) => value,
};
