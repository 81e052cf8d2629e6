/** How long a fetch may hold up partitions that get room again meanwhile: a connection answers one at a time. */
const busyWaitMs = 10;

/**
 * How long the next fetch of one broker waits for records. While a partition is held back, fetches are short, so that it
 * is not held up once it has room again; they grow longer for as long as nothing comes.
 */
export class FetchPace {
  private shortMs: number;

  constructor(private readonly idleMs: number) {
    this.shortMs = Math.min(busyWaitMs, idleMs);
  }

  waitMs(holding: { someHeld: boolean }): number {
    return holding.someHeld ? this.shortMs : this.idleMs;
  }

  answered(answer: { empty: boolean }): void {
    this.shortMs = Math.min(answer.empty ? this.shortMs * 2 : busyWaitMs, this.idleMs);
  }
}
