import { sendFlushRequest, type FlushRequest } from '#engine';
import type { TopicAndGroupNames } from '#event';
import type { Producer } from '#kafka';
import type { Logger } from '#telemetry';

/** Injection token of the `FlushRequestSender`. */
export const FLUSHES = Symbol('FlushRequestSender');

interface FlushRequestSenderDependencies {
  producer: Pick<Producer, 'append'>;
  topics: TopicAndGroupNames;
  logger: Pick<Logger, 'debug'>;
}

/**
 * Asks consumer groups over Kafka to store the events that they have buffered before their batch is full. At most
 * `maxInFlight` requests are under way; further ones are dropped.
 */
export class KafkaFlushRequestSender {
  private inFlight = 0;

  constructor(
    private readonly dependencies: FlushRequestSenderDependencies,
    private readonly maxInFlight = 100,
  ) {}

  /** Sends a flush request in the background. If it is lost, a waiting read only takes longer. */
  ask(request: FlushRequest): void {
    if (this.inFlight >= this.maxInFlight) return;
    this.inFlight++;
    const { producer, topics, logger } = this.dependencies;
    sendFlushRequest(producer, topics, request)
      .catch((error: unknown) =>
        logger.debug({ err: error as Error, ...request }, 'a flush request was lost'),
      )
      .finally(() => this.inFlight--);
  }
}

/** Sends flush requests in the background. */
export type FlushRequestSender = Pick<KafkaFlushRequestSender, 'ask'>;
