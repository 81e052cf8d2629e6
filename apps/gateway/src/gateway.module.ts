import { Module, type DynamicModule } from '@nestjs/common';
import { DefinitionsModule, LogModule, ProcessModule, ProducerModule } from '#app';
import type { HttpAnswerMemoryBudget, ProcessContext } from '#http';
import { WriteModule, writeSettings } from '#writing';
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
import { ResourceServicesModule } from './resource-services.module.js';
import { StoresModule } from './stores/stores.module.js';
import type { GatewayConfig } from './config/gateway-config.js';
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
  static with(context: ProcessContext<GatewayConfig>, answers: HttpAnswerMemoryBudget): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        ProcessModule.with(context),
        LogModule.forRoot(),
        ProducerModule,
        DefinitionsModule,
        StoresModule.with(answers),
        ResourceServicesModule,
        HealthModule,
        ...resources,
        WriteModule.with(writeSettings(context.config)),
      ],
    };
  }
}
