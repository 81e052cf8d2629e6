import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TopicAndGroupNames } from '#event';
import { WebhookAddressPolicy } from '#webhooks';
import { GatewayConfig } from '../config.js';
import { Bulkhead } from '../reads/bulkhead.js';
import {
  filesByStreamName,
  readerByStreamName,
  snapshotsByStreamName,
  sqlByStreamName,
} from '../reads/by-stream-name.js';
import {
  DEFINITIONS,
  FILES,
  LIVE_STORE,
  LOG,
  LOGGER,
  FLUSHES,
  PRODUCER,
  SQL,
  STORE,
  CONSISTENCY_BOUNDS,
  type SharedServices,
} from './shared-services.js';

/**
 * Nest module that registers the already opened Kafka log, ClickHouse stores, definitions, configuration and limits
 * under their injection tokens. The store readers that it provides accept stream names instead of stream ids.
 */
@Global()
@Module({})
export class SharedServicesModule {
  static with(adapters: SharedServices): DynamicModule {
    const { definitions, store, live } = adapters;
    const byName = {
      ...store,
      reader: readerByStreamName(store.reader, definitions),
      snapshots: snapshotsByStreamName(store.snapshots, definitions),
    };
    const providers = [
      { provide: GatewayConfig, useValue: adapters.config },
      { provide: LOGGER, useValue: adapters.logger },
      { provide: LOG, useValue: adapters.log },
      { provide: STORE, useValue: byName },
      { provide: LIVE_STORE, useValue: { ...live, reader: readerByStreamName(live.reader, definitions) } },
      { provide: FILES, useValue: filesByStreamName(adapters.files, definitions) },
      { provide: SQL, useValue: sqlByStreamName(adapters.sql, definitions) },
      { provide: DEFINITIONS, useValue: definitions },
      { provide: PRODUCER, useValue: adapters.producer },
      { provide: FLUSHES, useValue: adapters.flushes },
      { provide: TopicAndGroupNames, useValue: adapters.topics },
      { provide: Bulkhead, useValue: adapters.bulkhead },
      { provide: WebhookAddressPolicy, useValue: adapters.webhooks },
      { provide: CONSISTENCY_BOUNDS, useValue: adapters.waiting ?? {} },
    ];
    return { module: SharedServicesModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}
