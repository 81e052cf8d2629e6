import { sendFlushRequest, type FlushRequest } from '#engine';
import type { TopicAndGroupNames } from '#event';
import type { Producer } from '#kafka';
import type { Logger } from '#telemetry';

/** Asks consumer groups over Kafka to store the events that they have buffered before their batch is full. */
export interface FlushRequestSender {
  /** Sends a flush request in the background. If it is lost, a waiting read only takes longer. */
  ask(request: FlushRequest): void;
}

/** Injection token of the `FlushRequestSender`. */
export const FLUSHES = Symbol('FlushRequestSender');

/** Sends flush requests to the log, at most `maxInFlight` at a time; further ones are dropped. */
export class KafkaFlushRequestSender implements FlushRequestSender {
  private inFlight = 0;

  constructor(
    private readonly parts: {
      producer: Pick<Producer, 'append'>;
      topics: TopicAndGroupNames;
      logger: Pick<Logger, 'debug'>;
    },
    private readonly maxInFlight = 100,
  ) {}

  ask(request: FlushRequest): void {
    if (this.inFlight >= this.maxInFlight) return;
    this.inFlight++;
    void this.send(request);
  }

  private async send(request: FlushRequest): Promise<void> {
    const { producer, topics, logger } = this.parts;
    try {
      await sendFlushRequest(producer, topics, request);
    } catch (error) {
      logger.debug({ err: error as Error, ...request }, 'a flush request was lost');
    } finally {
      this.inFlight--;
    }
  }
}
