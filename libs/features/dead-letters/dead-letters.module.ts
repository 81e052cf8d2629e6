import { Module } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import type { Definitions } from '#registry';
import { RejectedEventRevalidator } from './rejected-event-revalidator.js';
import { PipelineServicesModule } from '#features/pipelines';
import { DeadLetterReplayRunner } from './dead-letter-replay-runner.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { PipelineDeadLetterReplayer } from './pipeline-replay.js';
import { StreamDeadLetterReplayer } from './stream-replay.js';

/** Nest module of the routes that list and replay dead letters. */
@Module({
  imports: [PipelineServicesModule],
  controllers: [DeadLettersController],
  providers: [
    DeadLetterReplayRunner,
    StreamDeadLetterReplayer,
    PipelineDeadLetterReplayer,
    {
      provide: RejectedEventRevalidator,
      inject: [DEFINITIONS],
      useFactory: (definitions: Definitions) => new RejectedEventRevalidator(definitions),
    },
  ],
})
export class DeadLettersModule {}
