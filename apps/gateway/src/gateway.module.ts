import { Module, type DynamicModule } from '@nestjs/common';
import { SharedServicesModule } from './shared-services/shared-services.module.js';
import type { SharedServices } from './shared-services/shared-services.js';
import { DeadLettersModule } from './dead-letters/dead-letters.module.js';
import { EntitiesModule } from './entities/entities.module.js';
import { ExportsModule } from './exports/exports.module.js';
import { ErasureModule } from './erasure/erasure.module.js';
import { EventsModule } from './events/events.module.js';
import { HealthHistoryModule } from './health/health-history.module.js';
import { HealthModule } from './health/health.module.js';
import { KeysModule } from './keys/keys.module.js';
import { PipelinesModule } from './pipelines/pipelines.module.js';
import { ProjectionsModule } from './projections/projections.module.js';
import { ResourceServicesModule } from './shared-services/resource-services.module.js';
import { SchemasModule } from './schemas/schemas.module.js';
import { EntitySnapshotsModule } from './snapshots/entity-snapshots.module.js';
import { SqlModule } from './sql/sql.module.js';
import { StreamsModule } from './streams/streams.module.js';

/** The Nest modules with the routes of both ports, one module per resource, in the order of the OpenAPI document. */
export const resources = [
  EventsModule,
  ExportsModule,
  StreamsModule,
  EntitiesModule,
  EntitySnapshotsModule,
  ErasureModule,
  DeadLettersModule,
  KeysModule,
  SchemasModule,
  ProjectionsModule,
  PipelinesModule,
  HealthHistoryModule,
];

/** The Nest modules with the routes of the query port: those that both ports serve, and SQL. */
export const resourcesOfQueryPort = [...resources, SqlModule];

/**
 * Root module of the Nest application context that creates all services once. The root module of the gateway listens on
 * no port: `HttpPortModule` serves the controllers on each port.
 */
@Module({ imports: [ResourceServicesModule, HealthModule, ...resourcesOfQueryPort] })
export class GatewayModule {
  static with(adapters: SharedServices): DynamicModule {
    return { module: GatewayModule, imports: [SharedServicesModule.with(adapters)] };
  }
}
