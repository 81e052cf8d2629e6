import {
  LogUnavailableError,
  type AppendOptions,
  type ProducerRecord,
  type RecordPosition,
  type Producer,
} from '#kafka';

/**
 * A producer for modules that are created before Kafka is reachable. `append` rejects with LogUnavailableError until
 * `use` sets the real producer.
 */
export class LateBoundProducer implements Producer {
  private inner: Producer | undefined;

  /** Sets the producer to which all calls are passed. */
  use(producer: Producer): void {
    this.inner = producer;
  }

  get bytesInFlight(): number {
    return this.inner?.bytesInFlight ?? 0;
  }

  append(records: readonly ProducerRecord[], options?: AppendOptions): Promise<RecordPosition[]> {
    if (this.inner) return this.inner.append(records, options);
    return Promise.reject(new LogUnavailableError('the producer is not connected yet'));
  }

  async close(): Promise<void> {
    await this.inner?.close();
  }
}
