import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { clickHouse, DEFINITIONS, PROCESS, shardingOf, STORE } from '#app';
import {
  HttpAnswerMemoryBudget,
  ShutdownWhileWaitingError,
  untilReachable,
  type ProcessContext,
} from '#http';
import type { Definitions } from '#registry';
import { clickHouseOptions, type Store, openClickHouse, type ClickHouseStoreOptions } from '#store';
import { storeByStreamName } from '../reads/by-stream-name.js';

/** Two clients of the same ClickHouse: one for requests, one for live streams. */
export interface GatewayStores {
  /** The client for requests. The results of this ClickHouse client count in the memory budget of answers. */
  requests: Store;
  /**
   * The client for live streams and for the health check of ClickHouse, which works even while slow HTTP clients use up
   * the memory budget of answers. The gateway reads at most seven pages at the same time: one of new events, three of
   * history, three of projection changes.
   */
  live: Store;
}

/** Limit of one ClickHouse result that is read for live streams, in bytes. */
const livePageBytes = 16 * 1024 * 1024;

export function openStores(options: ClickHouseStoreOptions, answers: HttpAnswerMemoryBudget): GatewayStores {
  return {
    requests: openClickHouse({ ...options, readBudget: answers }),
    live: openClickHouse({ ...options, bounds: { ...options.bounds, resultBytes: livePageBytes } }),
  };
}

/** Injection token of the client for live streams, whose results do not count in the memory budget of answers. */
export const LIVE_STORE = Symbol('Store of live streams');

/** Injection token of the two clients, whose queries name the ids of streams. */
export const CLICKHOUSE_CLIENTS = Symbol('ClickHouse clients');

/** Resolves when the tables of ClickHouse exist. Writing does not wait for it. */
export class StoreTables {
  constructor(readonly exist: Promise<void>) {}
}

/** Nest module of the gateway's two ClickHouse clients, whose queries name streams. Creates the tables. */
@Module({})
export class StoresModule {
  static with(answers: HttpAnswerMemoryBudget): DynamicModule {
    return {
      module: StoresModule,
      global: true,
      providers: [
        { provide: HttpAnswerMemoryBudget, useValue: answers },
        {
          provide: CLICKHOUSE_CLIENTS,
          inject: [PROCESS, ModuleRef],
          useFactory: ({ config, lifecycle }: ProcessContext, modules: ModuleRef): GatewayStores => {
            const stores = openStores(clickHouseOptions(config, shardingOf(modules)), answers);
            lifecycle.onStop('store of live streams', () => stores.live.close());
            lifecycle.onStop('store', () => stores.requests.close());
            return stores;
          },
        },
        storeProvider(STORE, 'requests'),
        storeProvider(LIVE_STORE, 'live'),
        {
          provide: StoreTables,
          inject: [PROCESS, CLICKHOUSE_CLIENTS],
          useFactory: (context: ProcessContext, clients: GatewayStores) =>
            new StoreTables(createTables(context, clients.requests)),
        },
      ],
      exports: [HttpAnswerMemoryBudget, STORE, LIVE_STORE, StoreTables],
    };
  }
}

/** Returns the provider of one client, with queries that name streams. */
function storeProvider(provide: symbol, client: keyof GatewayStores): Provider {
  return {
    provide,
    inject: [CLICKHOUSE_CLIENTS, DEFINITIONS],
    useFactory: (clients: GatewayStores, definitions: Definitions) =>
      storeByStreamName(clients[client], definitions),
  };
}

/** Begins at once: neither Kafka nor the other steps of the start must delay the tables, or the error of ClickHouse. */
function createTables(context: ProcessContext, store: Store): Promise<void> {
  return new Promise((resolve) => {
    untilReachable(context, clickHouse, () => store.migrate()).then(resolve, (error: unknown) => {
      if (!(error instanceof ShutdownWhileWaitingError)) context.crash(error as Error);
    });
  });
}
