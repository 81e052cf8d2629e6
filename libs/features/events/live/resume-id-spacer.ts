/**
 * Decides which messages of a stream have the stream's position as their id. A position is sent only after as many
 * characters of messages as it has itself, so ids are at most half of what is sent.
 */
export class ResumeIdSpacer {
  private lastLength = 0;
  private characters = 0;
  private messages = 0;

  /** @param messagesPerId minimum number of messages from one id to the next */
  constructor(private readonly messagesPerId = 1) {}

  /** Whether messages have been sent since the last id. */
  get areDue(): boolean {
    return this.messages > 0;
  }

  /** Returns the id for a message with this number of characters; undefined when the message gets none. */
  idOf(characters: number, position: () => string): string | undefined {
    this.characters += characters;
    this.messages++;
    // Compares with the length of the last id, because computing the next one only for its length costs as much as
    // sending it.
    if (this.messages < this.messagesPerId || this.characters < this.lastLength) return undefined;
    const id = position();
    this.lastLength = id.length;
    if (this.characters < id.length) return undefined;
    this.characters = 0;
    this.messages = 0;
    return id;
  }
}
