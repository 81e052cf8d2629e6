import { definitionLimitReached } from '../changes/definition-problems.js';
import { oneRecord } from '../resources/one-record.js';
import type { ResourceKind } from '../resources/resource-kind.js';
import type { ResourceStore } from '../resources/resource-store.js';
import { Erasure, erasureName } from './erasure.js';

declare module '../resources/resource-store.js' {
  interface ResourceStores {
    /** Erasures of entities, named by `erasureName(stream, entity_hash)`. */
    erasures: ResourceStore<Erasure>;
  }
}

const mostErasures = 100_000;

/** Rules of erasures. Each record contains a whole erasure; a later erasure of the same entity replaces it. */
export const erasureKind: ResourceKind<Erasure> = {
  kind: 'erasure',
  store: 'erasures',
  most: mostErasures,
  full: () => definitionLimitReached(`The limit of ${mostErasures} erasures is reached.`),
  ...oneRecord(Erasure, { nameOf: erasureName }),
  eventType: (_before, after) => (after ? 'entity.erasure_begun' : 'entity.erasure_forgotten'),
  redact: (value) => value,
};
