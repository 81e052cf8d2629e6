import { Matches } from 'class-validator';
import type { StreamId } from '#event';
import { definitionLimitReached } from '../changes/definition-problems.js';
import { oneRecord } from '../resources/one-record.js';
import { AreWholeNumbersByName, IsStreamId, IsTime } from '../resources/record-members.js';
import type { ResourceKind } from '../resources/resource-kind.js';
import type { ResourceStore } from '../resources/resource-store.js';

declare module '../resources/resource-store.js' {
  interface ResourceStores {
    /** Erasures of entities, named by `erasureName(stream, entity_hash)`. */
    erasures: ResourceStore<Erasure>;
  }
}

/**
 * The definition of an erasure: all events of one entity in one stream, up to the end of the stream's topic when the
 * erasure was requested. An erasure identifies the entity by a hash only, so that the erased id is not stored.
 */
export class Erasure {
  /** The stream's id. An erasure does not apply to a later stream with the same name. */
  @IsStreamId() stream: StreamId;
  /** SHA-256 (hex) of the stream's id, a zero byte and the entity's id. */
  @Matches(/^[0-9a-f]{64}$/) entity_hash: string;
  /**
   * End offset by partition: the entity's records below that offset are erased, and are left out whenever tables are
   * rebuilt.
   */
  @AreWholeNumbersByName() before: Readonly<Record<string, number>>;
  /** Time of the erasure, as RFC 3339. */
  @IsTime() erased_at: string;
}

/** Returns the name under which an erasure is stored in the definitions: `<stream id>/<entity hash>`. */
export function erasureName({ stream, entity_hash }: Pick<Erasure, 'stream' | 'entity_hash'>): string {
  return `${stream}/${entity_hash}`;
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
