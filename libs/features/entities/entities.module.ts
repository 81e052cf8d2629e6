import { Module } from '@nestjs/common';
import { DEFINITIONS, STORE } from '#app';
import { ClickHouseEntitySnapshotStore } from '#features/entities/state';
import type { Definitions } from '#registry';
import type { ClickHouseStore } from '#store';
import { EntitiesController } from './entities.controller.js';
import { ENTITY_SNAPSHOTS, entitySnapshotsByStreamName } from './entity-snapshots-by-stream-name.js';
import { EntitySnapshotsController } from './entity-snapshots.controller.js';

/** Nest module of the routes of entities, their state and their snapshots. */
@Module({
  controllers: [EntitiesController, EntitySnapshotsController],
  providers: [
    {
      provide: ENTITY_SNAPSHOTS,
      inject: [STORE, DEFINITIONS],
      useFactory: (store: ClickHouseStore, definitions: Definitions) =>
        entitySnapshotsByStreamName(new ClickHouseEntitySnapshotStore(store), definitions),
    },
  ],
})
export class EntitiesModule {}
