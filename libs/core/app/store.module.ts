import { Global, Module } from '@nestjs/common';
import { untilReachable, type ProcessContext } from '#http';
import { clickHouseOptions, openClickHouse, type Store } from '#store';
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
      inject: [PROCESS],
      useFactory: (context: ProcessContext): Store => {
        const store = openClickHouse(clickHouseOptions(context.config));
        context.lifecycle.onStart(() => untilReachable(context, clickHouse, () => store.migrate()));
        context.lifecycle.onStop('store', () => store.close());
        return store;
      },
    },
  ],
  exports: [STORE],
})
export class StoreModule {}
