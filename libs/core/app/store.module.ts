import { Global, Module } from '@nestjs/common';
import { untilReachable, type ProcessContext } from '#http';
import type { Definitions } from '#registry';
import { clickHouseOptions, openClickHouse, type Store } from '#store';
import { DEFINITIONS } from './definitions.module.js';
import { clickHouse } from './engines.js';
import { PROCESS } from './process.module.js';

/** Injection token of the `Store`: ClickHouse. */
export const STORE = Symbol('Store');

/** Nest module of ClickHouse: the process creates the missing tables when it starts. */
@Global()
@Module({
  providers: [
    {
      provide: STORE,
      inject: [PROCESS, DEFINITIONS],
      useFactory: (context: ProcessContext, definitions: Definitions): Store => {
        const store = openClickHouse(clickHouseOptions(context.config, definitions));
        context.lifecycle.onStart(() => untilReachable(context, clickHouse, () => store.migrate()));
        context.lifecycle.onStop('store', () => store.close());
        return store;
      },
    },
  ],
  exports: [STORE],
})
export class StoreModule {}
