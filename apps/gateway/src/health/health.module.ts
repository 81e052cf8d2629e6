import { Module } from '@nestjs/common';
import { ProjectionsModule } from '../projections/projections.module.js';
import { MaterializerLag } from './materializer-lag.js';
import { ProcessorLag } from './processor-lag.js';

/** Nest module that measures the lag of the materializer and of the processors. */
@Module({
  imports: [ProjectionsModule],
  providers: [MaterializerLag, ProcessorLag],
  exports: [MaterializerLag],
})
export class HealthModule {}
