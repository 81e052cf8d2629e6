import { Module } from '@nestjs/common';
import { HealthModule } from '#features/health';
import { IdWindowDurationReader } from './id-windows.js';
import { StreamSizeAndLagReader } from './stream-size-and-lag-reader.js';
import { StreamsController } from './streams.controller.js';

/** Nest module of the routes of streams. */
@Module({
  imports: [HealthModule],
  controllers: [StreamsController],
  providers: [IdWindowDurationReader, StreamSizeAndLagReader],
})
export class StreamsModule {}
