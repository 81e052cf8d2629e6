import type { Feature } from '#app';
import { DedupeSettings } from '#dataflow';
import { WebhookSettings } from '#webhooks';
import { DeadLettersModule } from './dead-letters/dead-letters.module.js';
import { EntitiesModule } from './entities/entities.module.js';
import { ExportSettings } from './exports/export-settings.js';
import { ExportsModule } from './exports/exports.module.js';
import { ErasureModule } from './erasure/erasure.module.js';
import { EventsModule } from './events/events.module.js';
import { HealthHistoryModule } from './health/health-history.module.js';
import { KeysModule } from './keys/keys.module.js';
import { LiveSettings } from './live/live-settings.js';
import { PipelinesModule } from './pipelines/pipelines.module.js';
import { ProjectionsModule } from './projections/projections.module.js';
import { SchemaSettings } from './schemas/schema-settings.js';
import { SchemasModule } from './schemas/schemas.module.js';
import { EntitySnapshotsModule } from './snapshots/entity-snapshots.module.js';
import { SqlSettings } from './sql/sql-settings.js';
import { SqlModule } from './sql/sql.module.js';
import { StreamsModule } from './streams/streams.module.js';

/** The features of the gateway, in the order of the OpenAPI document. */
export const features: readonly Feature[] = [
  { name: 'events', settings: [LiveSettings], gateway: EventsModule },
  { name: 'exports', settings: [ExportSettings], gateway: ExportsModule },
  { name: 'streams', settings: [DedupeSettings], gateway: StreamsModule },
  { name: 'entities', gateway: EntitiesModule },
  { name: 'snapshots', gateway: EntitySnapshotsModule },
  { name: 'erasures', gateway: ErasureModule },
  { name: 'dead_letters', gateway: DeadLettersModule },
  { name: 'keys', gateway: KeysModule },
  { name: 'schemas', settings: [SchemaSettings], gateway: SchemasModule },
  { name: 'projections', settings: [LiveSettings], gateway: ProjectionsModule },
  { name: 'pipelines', settings: [WebhookSettings], gateway: PipelinesModule },
  { name: 'health history', gateway: HealthHistoryModule },
  { name: 'sql', settings: [SqlSettings], gateway: SqlModule },
];
