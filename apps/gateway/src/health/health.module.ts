import { Module } from '@nestjs/common';
import { ProjectionsModule } from '../projections/projections.module.js';
import { HealthHistory } from './health-history.js';
import { MaterializerLag } from './materializer-lag.js';
import { ProcessorLag } from './processor-lag.js';

/** Nest module that measures the lag of the materializer and of the processors. */
@Module({
  imports: [ProjectionsModule],
  providers: [MaterializerLag, ProcessorLag, HealthHistory],
  exports: [MaterializerLag, HealthHistory],
})
export class HealthModule {}
