import { Module, type DynamicModule } from '@nestjs/common';
import type { Definitions } from '#definitions';
import { WriteModule, type WritePorts } from '#ingest';
import type { EventReader } from '#store';
import { EventCountController } from './events/event-count.controller.js';
import { EventQueryController } from './events/event-query.controller.js';
import { EventController } from './events/event.controller.js';
import { DeadLettersController } from './lists/dead-letters.controller.js';
import { EntitiesController } from './lists/entities.controller.js';
import { StreamsController } from './lists/streams.controller.js';
import { ReadGate } from './reads/read-gate.js';
import { DEFINITIONS, READER } from './tokens.js';
import { WaitFor } from './wait-for/wait-for.js';

/** What both ports share: one gate and one set of waiters, whichever port a request came in on. */
export interface GatewayParts {
  reader: EventReader;
  definitions: Definitions;
  gate: ReadGate;
  waitFor: WaitFor;
  write: WritePorts;
}

/** The API, once for each port: reading here, writing as `apps/ingest` does it. */
@Module({})
export class GatewayModule {
  static with({ reader, definitions, gate, waitFor, write }: GatewayParts): DynamicModule {
    return {
      module: GatewayModule,
      imports: [WriteModule.with(write)],
      controllers: [
        EventQueryController,
        EventCountController,
        EventController,
        StreamsController,
        EntitiesController,
        DeadLettersController,
      ],
      providers: [
        { provide: READER, useValue: reader },
        { provide: DEFINITIONS, useValue: definitions },
        { provide: ReadGate, useValue: gate },
        { provide: WaitFor, useValue: waitFor },
      ],
    };
  }
}
