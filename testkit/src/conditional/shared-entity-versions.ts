import type { SeededRandom } from '../seeded-random.js';

/** An entity, and the greatest version of the entity that any answer has named. */
export interface KnownEntity {
  stream: string;
  entity_id: string;
  version: number;
  /** True while one writer alone may write to the entity: other writers that wait for an entity choose another one. */
  taken: boolean;
}

/** The latest versions of entities that all writers of a driver know together. */
export class SharedEntityVersions {
  readonly all: readonly KnownEntity[];

  constructor(streams: readonly string[], each: number) {
    this.all = streams.flatMap((stream) =>
      Array.from({ length: each }, (_, n) => {
        return { stream, entity_id: `entity ${n} ř`, version: 0, taken: false };
      }),
    );
  }

  /** Reserves a random entity for one writer; undefined if every entity is reserved. */
  take(random: SeededRandom): KnownEntity | undefined {
    const free = this.all.filter(({ taken }) => !taken);
    if (free.length === 0) return undefined;
    const chosen = random.pick(free);
    chosen.taken = true;
    return chosen;
  }
}
