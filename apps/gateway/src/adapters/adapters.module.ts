import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TopicNames } from '#event';
import { WebhookNetworks } from '#webhooks';
import { GatewayConfig } from '../config.js';
import { Bulkhead } from '../reads/bulkhead.js';
import { namedFiles, namedReader, namedSnapshots, namedSql } from '../reads/named-streams.js';
import {
  DEFINITIONS,
  FILES,
  LIVE_STORE,
  LOG,
  LOGGER,
  PRODUCER,
  SQL,
  STORE,
  CONSISTENCY_BOUNDS,
  type Adapters,
} from './adapters.js';

/**
 * Provides the connections and services that were opened at startup. Its store readers accept stream names instead of
 * stream ids.
 */
@Global()
@Module({})
export class AdaptersModule {
  static with(adapters: Adapters): DynamicModule {
    const { definitions, store, live } = adapters;
    const byName = {
      ...store,
      reader: namedReader(store.reader, definitions),
      snapshots: namedSnapshots(store.snapshots, definitions),
    };
    const providers = [
      { provide: GatewayConfig, useValue: adapters.config },
      { provide: LOGGER, useValue: adapters.logger },
      { provide: LOG, useValue: adapters.log },
      { provide: STORE, useValue: byName },
      { provide: LIVE_STORE, useValue: { ...live, reader: namedReader(live.reader, definitions) } },
      { provide: FILES, useValue: namedFiles(adapters.files, definitions) },
      { provide: SQL, useValue: namedSql(adapters.sql, definitions) },
      { provide: DEFINITIONS, useValue: definitions },
      { provide: PRODUCER, useValue: adapters.producer },
      { provide: TopicNames, useValue: adapters.topics },
      { provide: Bulkhead, useValue: adapters.bulkhead },
      { provide: WebhookNetworks, useValue: adapters.webhooks },
      { provide: CONSISTENCY_BOUNDS, useValue: adapters.waiting ?? {} },
    ];
    return { module: AdaptersModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}
