import { AgeOrderedMap } from '../age-ordered-map.js';

/**
 * Counts the events of each entity, so that its stored version is looked up only when a snapshot may be due. The
 * version of an entity that is new or was evicted is unknown. It is looked up after a quarter of `every` events, so
 * its first snapshot may be that much late.
 */
export class SnapshotCountdowns {
  /** Number of events until the entity is looked up. */
  private readonly left = new AgeOrderedMap<string, number>();

  /** @param most Greatest number of entities that are counted. */
  constructor(private readonly most: number) {}

  /** Counts one event of an entity. Returns whether the entity's version should be looked up. */
  passed(stream: string, entityId: string, every: number): boolean {
    const key = keyOf(stream, entityId);
    const left = (this.left.get(key) ?? Math.ceil(every / 4)) - 1;
    this.keep(key, left);
    return left <= 0;
  }

  /** Sets the version of an entity that was looked up. */
  found(entity: { stream: string; entityId: string }, version: number, every: number): void {
    this.keep(keyOf(entity.stream, entity.entityId), every - (version % every));
  }

  private keep(key: string, left: number): void {
    this.left.put(key, left);
    if (this.left.size > this.most) this.left.take();
  }
}

/** Returns a key that is unique for the stream and entity, because neither name contains a zero byte. */
function keyOf(stream: string, entityId: string): string {
  return `${stream}\0${entityId}`;
}
