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
import { WriteModule, writeSettings } from '#writing';
import { ResourceServicesModule } from './shared-services/resource-services.module.js';
import { SchemasModule } from './schemas/schemas.module.js';
import { EntitySnapshotsModule } from './snapshots/entity-snapshots.module.js';
import { SqlModule } from './sql/sql.module.js';
import { StreamsModule } from './streams/streams.module.js';

/** The Nest modules with the routes of the gateway, one module per resource, in the order of the OpenAPI document. */
const resources = [
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
  SqlModule,
];

/** Root module of the gateway: the routes of both ports, and their services, which exist once. */
@Module({})
export class GatewayModule {
  static with(adapters: SharedServices): DynamicModule {
    const { producer, definitions, topics, verdicts, config } = adapters;
    return {
      module: GatewayModule,
      imports: [
        SharedServicesModule.with(adapters),
        ResourceServicesModule,
        HealthModule,
        ...resources,
        WriteModule.with({ producer, definitions, topics, verdicts, ...writeSettings(config) }),
      ],
    };
  }
}
