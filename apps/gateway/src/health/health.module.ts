import { Module } from '@nestjs/common';
import { ProjectionServicesModule } from '../projections/projection-services.module.js';
import { HealthHistory } from './health-history.js';
import { MaterializerLagReader } from './materializer-lag-reader.js';
import { ProcessorLagReader } from './processor-lag-reader.js';

/** Nest module that measures the lag of the materializer and of the processors. */
@Module({
  imports: [ProjectionServicesModule],
  providers: [MaterializerLagReader, ProcessorLagReader, HealthHistory],
  exports: [MaterializerLagReader, ProcessorLagReader, HealthHistory],
})
export class HealthModule {}
