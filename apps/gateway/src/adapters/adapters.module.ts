import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TopicNames } from '#event';
import { WebhookNetworks } from '#webhooks';
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
  type Adapters,
} from './adapters.js';

/**
 * Nest module that registers the already opened Kafka log, ClickHouse stores, definitions, configuration and limits
 * under their injection tokens. The store readers that it provides accept stream names instead of stream ids.
 */
@Global()
@Module({})
export class AdaptersModule {
  static with(adapters: Adapters): DynamicModule {
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
      { provide: TopicNames, useValue: adapters.topics },
      { provide: Bulkhead, useValue: adapters.bulkhead },
      { provide: WebhookNetworks, useValue: adapters.webhooks },
      { provide: CONSISTENCY_BOUNDS, useValue: adapters.waiting ?? {} },
    ];
    return { module: AdaptersModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}
