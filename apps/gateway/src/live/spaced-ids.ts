/**
 * Says after which messages of a stream its position goes as their id. An id waits until as many characters were sent as
 * it has, so that ids are half of what is sent at most.
 */
export class SpacedIds {
  private lastLength = 0;
  private characters = 0;
  private messages = 0;

  /** @param messagesPerId Messages between two ids at least. */
  constructor(private readonly messagesPerId = 1) {}

  /** Whether something was sent after the last id. */
  get areDue(): boolean {
    return this.messages > 0;
  }

  /** Returns the id of a message of so many characters; undefined where it has none. */
  idOf(characters: number, position: () => string): string | undefined {
    this.characters += characters;
    this.messages++;
    // The length of the last one: to write one out in order to count it costs as much as to send it.
    if (this.messages < this.messagesPerId || this.characters < this.lastLength) return undefined;
    const id = position();
    this.lastLength = id.length;
    if (this.characters < id.length) return undefined;
    this.characters = 0;
    this.messages = 0;
    return id;
  }
}
