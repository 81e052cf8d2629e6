import { ProblemError } from '#api';

/** Limits how many operations of one kind, such as exports, each API key runs at the same time in this process. */
export class PerKeyConcurrencyLimiter {
  private readonly running = new Map<string, number>();

  /** @param what name of the operations in the plural, such as `SQL statements` */
  constructor(
    private readonly most: number,
    private readonly what: string,
  ) {}

  /**
   * Counts one more running operation. Call the returned function when the operation has ended. Callers without a key
   * are not limited.
   * @throws ProblemError 429 `too_many_requests`
   */
  enter(keyId: string | null): () => void {
    if (keyId === null) return () => undefined;
    const count = this.running.get(keyId) ?? 0;
    if (count >= this.most) throw this.tooMany();
    this.running.set(keyId, count + 1);
    return () => this.leave(keyId);
  }

  private leave(keyId: string): void {
    const left = (this.running.get(keyId) ?? 1) - 1;
    if (left === 0) this.running.delete(keyId);
    else this.running.set(keyId, left);
  }

  private tooMany(): ProblemError {
    const detail = `This key may run ${this.most} ${this.what} at once. Wait for one to end.`;
    return new ProblemError('too_many_requests', detail, { retryAfterSeconds: 1 });
  }
}
