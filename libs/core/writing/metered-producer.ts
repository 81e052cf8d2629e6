import { ProducerBufferFullError, LogUnavailableError, UnknownTopicError } from '#kafka';
import type { AppendOptions, ProducerRecord, RecordPosition, Producer } from '#kafka';
import {
  produceInFlightBytes,
  produceErrors,
  produceRecords,
  produceBytes,
  produceDuration,
} from './write-metrics.js';

/** Injection token of the `Producer` of events, whose appends are measured and traced. */
export const EVENT_PRODUCER = Symbol('Producer of events');

/**
 * A producer that passes appends to another one and exports metrics: bytes in flight, acknowledged records and bytes,
 * durations, and errors by reason.
 */
export class MeteredProducer implements Producer {
  constructor(private readonly inner: Producer) {}

  get bytesInFlight(): number {
    return this.inner.bytesInFlight;
  }

  async append(records: readonly ProducerRecord[], options?: AppendOptions): Promise<RecordPosition[]> {
    const began = performance.now();
    try {
      const positions = this.inner.append(records, options);
      produceInFlightBytes.set(this.inner.bytesInFlight);
      const acknowledged = await positions;
      let size = 0;
      for (const record of records) size += record.value?.length ?? 0;
      produceRecords.inc(records.length);
      produceBytes.inc(size);
      produceDuration.observe((performance.now() - began) / 1000);
      return acknowledged;
    } catch (error) {
      produceErrors.inc({ reason: reasonOf(error) });
      throw error;
    } finally {
      produceInFlightBytes.set(this.inner.bytesInFlight);
    }
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ProducerBufferFullError) return 'overloaded';
  if (error instanceof LogUnavailableError) return 'unavailable';
  if (error instanceof UnknownTopicError) return 'unknown_topic';
  return 'other';
}
