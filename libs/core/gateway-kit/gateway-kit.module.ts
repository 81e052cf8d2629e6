import { Global, Module } from '@nestjs/common';
import { LOGGER, PRODUCER } from '#app';
import { TopicAndGroupNames } from '#event';
import type { Producer } from '#kafka';
import type { Logger } from '#telemetry';
import { StreamReadAuthorizer } from './access/stream-read-authorizer.js';
import { CONSISTENCY_BOUNDS, ConsistencyTokenWaiter } from './consistency/consistency-tokens.js';
import { FLUSHES, KafkaFlushRequestSender } from './consistency/flush-request-sender.js';
import { GroupLagReader } from './lag/group-lag-reader.js';
import { Bulkhead } from './reads/bulkhead.js';
import { ReadSettings } from './reads/read-settings.js';
import { NewGenerationOrJobFactory } from './sources/new-generation-or-job-factory.js';

/** Longest time that a query waits for a slot, in milliseconds. */
const waitMs = 10_000;

const services = [ConsistencyTokenWaiter, StreamReadAuthorizer, GroupLagReader, NewGenerationOrJobFactory];

/**
 * Global Nest module of services that several resources use: visible streams, waiting for positions, lag of consumer
 * groups, binding of stream names to ids, and the limits that they share.
 */
@Global()
@Module({
  providers: [
    ...services,
    {
      provide: Bulkhead,
      inject: [ReadSettings],
      useFactory: ({ READS_CONCURRENT: concurrent, READS_QUEUED: queued }: ReadSettings) =>
        new Bulkhead({ concurrent, queued, waitMs }),
    },
    {
      provide: FLUSHES,
      inject: [PRODUCER, TopicAndGroupNames, LOGGER],
      useFactory: (producer: Producer, topics: TopicAndGroupNames, logger: Logger) =>
        new KafkaFlushRequestSender({ producer, topics, logger }),
    },
    { provide: CONSISTENCY_BOUNDS, useValue: {} },
  ],
  exports: [...services, Bulkhead],
})
export class GatewayKitModule {}
