import { OldestFirst } from '../oldest-first.js';

/**
 * Counts what passes of each entity, so that its stored version is looked up only when a snapshot may be due. Of an entity
 * that is met for the first time, or was forgotten, nobody knows where it stands: it is looked up after a quarter of the
 * usual number, so its first snapshot may come that much late.
 */
export class DueEntities {
  /** Events that may still pass before the entity is looked up. */
  private readonly left = new OldestFirst<string, number>();

  /** @param most Entities that are remembered. */
  constructor(private readonly most: number) {}

  /** One more event of it has passed. Says whether it is to be looked up. */
  passed(stream: string, entityId: string, every: number): boolean {
    const key = keyOf(stream, entityId);
    const left = (this.left.get(key) ?? Math.ceil(every / 4)) - 1;
    this.keep(key, left);
    return left <= 0;
  }

  /** It was looked up: this is its version. */
  found(entity: { stream: string; entityId: string }, version: number, every: number): void {
    this.keep(keyOf(entity.stream, entity.entityId), every - (version % every));
  }

  private keep(key: string, left: number): void {
    this.left.put(key, left);
    if (this.left.size > this.most) this.left.take();
  }
}

/** Neither name holds a zero byte. */
function keyOf(stream: string, entityId: string): string {
  return `${stream}\0${entityId}`;
}
