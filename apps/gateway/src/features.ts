import type { Feature } from '#app';
import { DeadLettersModule } from './dead-letters/dead-letters.module.js';
import { EntitiesModule } from './entities/entities.module.js';
import { ExportsModule } from './exports/exports.module.js';
import { ErasureModule } from './erasure/erasure.module.js';
import { EventsModule } from './events/events.module.js';
import { HealthHistoryModule } from './health/health-history.module.js';
import { KeysModule } from './keys/keys.module.js';
import { PipelinesModule } from './pipelines/pipelines.module.js';
import { ProjectionsModule } from './projections/projections.module.js';
import { SchemasModule } from './schemas/schemas.module.js';
import { EntitySnapshotsModule } from './snapshots/entity-snapshots.module.js';
import { SqlModule } from './sql/sql.module.js';
import { StreamsModule } from './streams/streams.module.js';

/** The features of the gateway, in the order of the OpenAPI document. */
export const features: readonly Feature[] = [
  { name: 'events', gateway: EventsModule },
  { name: 'exports', gateway: ExportsModule },
  { name: 'streams', gateway: StreamsModule },
  { name: 'entities', gateway: EntitiesModule },
  { name: 'snapshots', gateway: EntitySnapshotsModule },
  { name: 'erasures', gateway: ErasureModule },
  { name: 'dead_letters', gateway: DeadLettersModule },
  { name: 'keys', gateway: KeysModule },
  { name: 'schemas', gateway: SchemasModule },
  { name: 'projections', gateway: ProjectionsModule },
  { name: 'pipelines', gateway: PipelinesModule },
  { name: 'health history', gateway: HealthHistoryModule },
  { name: 'sql', gateway: SqlModule },
];
