import type { SeededRandom } from '../seeded-random.js';

/** An entity, and the greatest version of it that an answer has named. */
export interface KnownEntity {
  stream: string;
  entity_id: string;
  version: number;
  /** A writer has the turn: the others with manners choose another entity. */
  taken: boolean;
}

/** What all writers of a driver know about the entities together. */
export class SharedEntityVersions {
  readonly all: readonly KnownEntity[];

  constructor(streams: readonly string[], each: number) {
    this.all = streams.flatMap((stream) =>
      Array.from({ length: each }, (_, n) => {
        return { stream, entity_id: `entity ${n} ř`, version: 0, taken: false };
      }),
    );
  }

  /** Takes the turn of an entity; undefined if each one is taken. */
  take(random: SeededRandom): KnownEntity | undefined {
    const free = this.all.filter(({ taken }) => !taken);
    if (free.length === 0) return undefined;
    const chosen = random.pick(free);
    chosen.taken = true;
    return chosen;
  }
}
