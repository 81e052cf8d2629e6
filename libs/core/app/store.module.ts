import { Global, Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { untilReachable, type ProcessContext } from '#http';
import type { Definitions } from '#registry';
import { clickHouseOptions, openClickHouse, type Store, type StreamSharding } from '#store';
import { DEFINITIONS } from './definitions.module.js';
import { clickHouse } from './engines.js';
import { PROCESS } from './process.module.js';

/** Injection token of the `Store`: ClickHouse. */
export const STORE = Symbol('Store');

/** Returns the sharding of streams in their definitions, which are made after the store, and so closed before it. */
export function shardingOf(modules: ModuleRef): StreamSharding {
  return {
    shardsOf: (id, shards) => modules.get<Definitions>(DEFINITIONS, { strict: false }).shardsOf(id, shards),
  };
}

/** Nest module of ClickHouse: the process creates the missing tables when it starts. */
@Global()
@Module({
  providers: [
    {
      provide: STORE,
      inject: [PROCESS, ModuleRef],
      useFactory: (context: ProcessContext, modules: ModuleRef): Store => {
        const store = openClickHouse(clickHouseOptions(context.config, shardingOf(modules)));
        context.lifecycle.onStart(() => untilReachable(context, clickHouse, () => store.migrate()));
        context.lifecycle.onStop('store', () => store.close());
        return store;
      },
    },
  ],
  exports: [STORE],
})
export class StoreModule {}
