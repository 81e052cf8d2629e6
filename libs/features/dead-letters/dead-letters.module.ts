import { Module } from '@nestjs/common';
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
    RejectedEventRevalidator,
  ],
})
export class DeadLettersModule {}
