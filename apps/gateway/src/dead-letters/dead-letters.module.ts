import { Module } from '@nestjs/common';
import { PipelinesModule } from '../pipelines/pipelines.module.js';
import { DeadLetterReplay } from './dead-letter-replay.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { PipelineReplay } from './pipeline-replay.js';
import { ReplayController } from './replay.controller.js';
import { StreamReplay } from './stream-replay.js';

@Module({
  imports: [PipelinesModule],
  controllers: [DeadLettersController, ReplayController],
  providers: [DeadLetterReplay, StreamReplay, PipelineReplay],
})
export class DeadLettersModule {}
