import { Module } from '@nestjs/common';
import { ProjectionsModule } from '../projections/projections.module.js';
import { MaterializerLag } from './materializer-lag.js';
import { ProcessorLag } from './processor-lag.js';

@Module({
  imports: [ProjectionsModule],
  providers: [MaterializerLag, ProcessorLag],
  exports: [MaterializerLag],
})
export class HealthModule {}
