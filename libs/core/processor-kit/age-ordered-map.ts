/**
 * A map that returns its entries in the order in which they were last put, the oldest entry first.
 *
 * The map keeps an iterator at the oldest entry. Creating an iterator for each read of the first key would be slow:
 * deleted entries leave holes in a JavaScript Map until the Map is rehashed, and each new iterator passes all holes
 * (about 100 µs with 100 000 keys).
 */
export class AgeOrderedMap<Key, Value> {
  private readonly values = new Map<Key, Value>();
  private place = this.values.entries();

  get size(): number {
    return this.values.size;
  }

  get(key: Key): Value | undefined {
    return this.values.get(key);
  }

  put(key: Key, value: Value): void {
    this.values.delete(key);
    this.values.set(key, value);
  }

  delete(key: Key): void {
    this.values.delete(key);
  }

  /** Removes and returns the oldest entry; undefined if the map is empty. */
  take(): [Key, Value] | undefined {
    // All entries before the iterator were removed or put again, so every remaining entry comes after the iterator.
    // When the iterator reaches the end, a new iterator starts at the first entry.
    let next = this.place.next();
    if (next.done) {
      this.place = this.values.entries();
      next = this.place.next();
    }
    if (next.done) return undefined;
    this.values.delete(next.value[0]);
    return next.value;
  }
}
