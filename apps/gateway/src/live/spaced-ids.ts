import type { LivePosition } from './live-position.js';

/**
 * Says with which messages of a stream its position goes as their id: with each one, unless ids are longer than the
 * messages. Then an id waits until as many characters were sent as it has, so that ids are half of what is sent at most.
 */
export class SpacedIds {
  private lastLength = 0;
  private sinceLast = 0;

  /** Whether something was sent after the last id. */
  get areDue(): boolean {
    return this.sinceLast > 0;
  }

  /** The id of a message of so many characters, which ends at this position; undefined where it has none. */
  idOf(characters: number, position: LivePosition): string | undefined {
    this.sinceLast += characters;
    // The length of the last one: to write one out in order to count it would cost as much as to send it.
    if (this.sinceLast < this.lastLength) return undefined;
    const id = position.toString();
    this.lastLength = id.length;
    this.sinceLast = 0;
    return id;
  }
}
