import { AgeOrderedMap } from '#processor-kit';

/**
 * Counts the events of each entity, so that the stored version of an entity is looked up only when a snapshot may be
 * due. If an entity is new or was evicted, its version is unknown. An unknown version is looked up after a quarter of
 * `every` events, so the first snapshot of the entity may be that many events late.
 */
export class EntitySnapshotCountdowns {
  /** Number of further events until the version of the entity is looked up, by entity. */
  private readonly left = new AgeOrderedMap<string, number>();

  /** @param most Maximum number of entities whose events are counted. */
  constructor(private readonly most: number) {}

  /** Counts one event of an entity. Returns whether the version of the entity should be looked up. */
  passed(stream: string, entityId: string, every: number): boolean {
    const key = keyOf(stream, entityId);
    const left = (this.left.get(key) ?? Math.ceil(every / 4)) - 1;
    this.keep(key, left);
    return left <= 0;
  }

  has(stream: string, entityId: string): boolean {
    return this.left.get(keyOf(stream, entityId)) !== undefined;
  }

  /** Sets the countdown of an entity whose version was looked up. */
  found(entity: { stream: string; entityId: string }, version: number, every: number): void {
    this.keep(keyOf(entity.stream, entity.entityId), every - (version % every));
  }

  private keep(key: string, left: number): void {
    this.left.put(key, left);
    if (this.left.size > this.most) this.left.take();
  }
}

/** Returns a key for a stream and an entity. Neither contains a zero byte, so different pairs have different keys. */
function keyOf(stream: string, entityId: string): string {
  return `${stream}\0${entityId}`;
}

/** Counts the characters of the states that wait to be saved, for all partitions of the process. */
export class WaitingStatesBudget {
  private characters = 0;

  /** @param most Number of characters from which on no further state may be added. */
  constructor(private readonly most: number) {}

  get isFull(): boolean {
    return this.characters >= this.most;
  }

  add(state: string): void {
    this.characters += state.length;
  }

  remove(state: string): void {
    this.characters -= state.length;
  }
}
