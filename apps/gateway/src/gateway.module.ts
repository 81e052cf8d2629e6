import { Module, type DynamicModule } from '@nestjs/common';
import type { Definitions } from '#definitions';
import { WriteModule, type WritePorts } from '#ingest';
import type { EventReader } from '#store';
import { ReadableStreams } from './access/readable-streams.js';
import { EventCountController } from './events/event-count.controller.js';
import { EventQueryController } from './events/event-query.controller.js';
import { EventController } from './events/event.controller.js';
import { KeyController } from './keys/key.controller.js';
import { KeyStore } from './keys/key-store.js';
import { KeysController } from './keys/keys.controller.js';
import { DeadLettersController } from './lists/dead-letters.controller.js';
import { EntitiesController } from './lists/entities.controller.js';
import { ReadGate } from './reads/read-gate.js';
import { SchemaCheckController } from './schemas/schema-check.controller.js';
import { SchemaVersionsController } from './schemas/schema-versions.controller.js';
import { SchemaController } from './schemas/schema.controller.js';
import { SchemasController } from './schemas/schemas.controller.js';
import { StreamSummaries } from './streams/stream-summaries.js';
import { StreamController } from './streams/stream.controller.js';
import { StreamsController } from './streams/streams.controller.js';
import { DEFINITIONS, READER } from './tokens.js';

/** What both ports share: one gate and one set of waiting requests, whichever port a request came in on. */
export interface GatewayParts {
  reader: EventReader;
  definitions: Definitions;
  gate: ReadGate;
  streams: ReadableStreams;
  write: WritePorts;
}

/** The API, once for each port: reading here, writing as `apps/ingest` does it. */
@Module({})
export class GatewayModule {
  static with({ reader, definitions, gate, streams, write }: GatewayParts): DynamicModule {
    return {
      module: GatewayModule,
      imports: [WriteModule.with(write)],
      controllers: [
        EventQueryController,
        EventCountController,
        EventController,
        StreamsController,
        StreamController,
        EntitiesController,
        DeadLettersController,
        KeysController,
        KeyController,
        SchemasController,
        SchemaController,
        SchemaVersionsController,
        SchemaCheckController,
      ],
      providers: [
        { provide: READER, useValue: reader },
        { provide: DEFINITIONS, useValue: definitions },
        KeyStore,
        { provide: ReadGate, useValue: gate },
        { provide: ReadableStreams, useValue: streams },
        StreamSummaries,
      ],
    };
  }
}
