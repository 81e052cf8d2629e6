import { Module } from '@nestjs/common';
import type { Definitions } from '#registry';
import { RefusedEvents } from '#writing';
import { DEFINITIONS } from '../adapters/adapters.js';
import { PipelinesModule } from '../pipelines/pipelines.module.js';
import { DeadLetterReplay } from './dead-letter-replay.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { PipelineReplay } from './pipeline-replay.js';
import { ReplayController } from './replay.controller.js';
import { StreamReplay } from './stream-replay.js';

@Module({
  imports: [PipelinesModule],
  controllers: [DeadLettersController, ReplayController],
  providers: [
    DeadLetterReplay,
    StreamReplay,
    PipelineReplay,
    {
      provide: RefusedEvents,
      inject: [DEFINITIONS],
      useFactory: (definitions: Definitions) => new RefusedEvents(definitions),
    },
  ],
})
export class DeadLettersModule {}
