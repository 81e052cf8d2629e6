import { LogUnavailableError, type NewRecord, type Position, type Producer } from '#log';

/** A producer for modules that are put together before Kafka can be reached. Until then nothing can be appended. */
export class LateProducer implements Producer {
  private inner: Producer | undefined;

  /** From now on everything goes to this one. */
  use(producer: Producer): void {
    this.inner = producer;
  }

  get bytesInFlight(): number {
    return this.inner?.bytesInFlight ?? 0;
  }

  append(records: readonly NewRecord[]): Promise<Position[]> {
    if (this.inner) return this.inner.append(records);
    return Promise.reject(new LogUnavailableError('the producer is not connected yet'));
  }

  async close(): Promise<void> {
    await this.inner?.close();
  }
}
