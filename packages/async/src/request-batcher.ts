/** How a `RequestBatcher` sends its requests. */
export interface RequestBatcherOptions<Item, Answer> {
  /** Maximum number of items in one request. */
  most: number;
  /** Sends one request. Resolves with the answer to each item, in the order of the items. */
  send(items: readonly Item[]): Promise<readonly Answer[]>;
  /** Maximum number of pending requests, so that one that hangs does not block the others. Default: 1. */
  concurrent?: number;
  /**
   * Minimum pause after a request with several items, as a multiple of its duration, so that more calls share the next
   * one. A call after the pause, or after a request with one item, is not delayed. Default: no pause.
   */
  restPerRequest?: number;
  /** Longest such pause in milliseconds. Default: 250. */
  longestRestMs?: number;
  /** Whether a request can fail because of one item; each item is then sent again alone. Default: never. */
  isFaultOfOneItem?(error: unknown): boolean;
}

interface WaitingItem<Item, Answer> {
  item: Item;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Combines concurrent calls into few requests. Calls of the same event-loop turn, and calls that arrive while a request
 * is pending, share one request. An item waits until it is sent, even if its caller no longer waits for the answer.
 */
export class RequestBatcher<Item, Answer> {
  private waiting: WaitingItem<Item, Answer>[] = [];
  /** Number of loops that send requests, each with at most one pending request. */
  private running = 0;
  /** Time before which no request is sent, in milliseconds of `performance.now()`. */
  private restsUntil = -Infinity;

  constructor(private readonly options: RequestBatcherOptions<Item, Answer>) {}

  /** Resolves with the answer to this item. @throws the error of the request that contained the item */
  ask(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.running < (this.options.concurrent ?? 1)) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running++;
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      await this.rest();
      const items = this.waiting.splice(0, this.options.most);
      const began = performance.now();
      await this.sendAll(items);
      if (items.length > 1) this.restAfter(performance.now() - began);
    }
    this.running--;
  }

  private async rest(): Promise<void> {
    const left = this.restsUntil - performance.now();
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
  }

  private restAfter(tookMs: number): void {
    const { restPerRequest = 0, longestRestMs = 250 } = this.options;
    this.restsUntil = performance.now() + Math.min(tookMs * restPerRequest, longestRestMs);
  }

  private async sendAll(waiting: readonly WaitingItem<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.options.send(waiting.map(({ item }) => item));
      waiting.forEach(({ resolve }, index) => resolve(answers[index]!));
    } catch (error) {
      if (waiting.length > 1 && this.options.isFaultOfOneItem?.(error))
        return void (await Promise.all(waiting.map((one) => this.sendAll([one]))));
      for (const { reject } of waiting) reject(error);
    }
  }
}
