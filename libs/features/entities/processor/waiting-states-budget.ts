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
