import { Global, Module } from '@nestjs/common';
import { LOGGER, PRODUCER } from '#app';
import { TopicAndGroupNames } from '#event';
import type { Producer } from '#kafka';
import type { Logger } from '#telemetry';
import { WebhookAddressPolicy } from '#webhooks';
import { StreamReadAuthorizer } from './access/stream-read-authorizer.js';
import { GatewayConfig } from './config/gateway-config.js';
import { CONSISTENCY_BOUNDS } from './consistency/consistency-limits.js';
import { ConsistencyTokenWaiter } from './consistency/consistency-tokens.js';
import { FLUSHES, KafkaFlushRequestSender } from './consistency/flush-request-sender.js';
import { GroupLagReader } from './lag/group-lag-reader.js';
import { Bulkhead } from './reads/bulkhead.js';
import { NewGenerationOrJobFactory } from './sources/new-generation-or-job-factory.js';

/** Longest time that a query waits for a slot, in milliseconds. */
const waitMs = 10_000;

const services = [
  ConsistencyTokenWaiter,
  StreamReadAuthorizer,
  GroupLagReader,
  NewGenerationOrJobFactory,
  Bulkhead,
  WebhookAddressPolicy,
];

/**
 * Global Nest module of services that several resources use: visible streams, waiting for positions, lag of consumer
 * groups, binding of stream names to ids, and the limits that they share.
 */
@Global()
@Module({
  providers: [
    ConsistencyTokenWaiter,
    StreamReadAuthorizer,
    GroupLagReader,
    NewGenerationOrJobFactory,
    {
      provide: Bulkhead,
      inject: [GatewayConfig],
      useFactory: ({ READS_CONCURRENT: concurrent, READS_QUEUED: queued }: GatewayConfig) =>
        new Bulkhead({ concurrent, queued, waitMs }),
    },
    {
      provide: WebhookAddressPolicy,
      inject: [GatewayConfig],
      useFactory: (config: GatewayConfig) => new WebhookAddressPolicy(config.WEBHOOK_ALLOWED_NETWORKS),
    },
    {
      provide: FLUSHES,
      inject: [PRODUCER, TopicAndGroupNames, LOGGER],
      useFactory: (producer: Producer, topics: TopicAndGroupNames, logger: Logger) =>
        new KafkaFlushRequestSender({ producer, topics, logger }),
    },
    { provide: CONSISTENCY_BOUNDS, useValue: {} },
  ],
  exports: services,
})
export class ResourceServicesModule {}
