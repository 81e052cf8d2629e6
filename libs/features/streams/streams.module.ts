import { Module } from '@nestjs/common';
import { HealthModule } from '#features/health';
import { IdWindowDurationReader } from './id-windows.js';
import { StreamSizeAndLagReader } from './stream-size-and-lag-reader.js';
import { StreamDeletionController } from './stream-deletion.controller.js';
import { StreamDeleter } from './stream-deleter.js';
import { StreamSummaryReader } from './stream-summary-reader.js';
import { StreamController } from './stream.controller.js';
import { StreamsController } from './streams.controller.js';

/** Nest module of the routes of streams. */
@Module({
  imports: [HealthModule],
  controllers: [StreamsController, StreamController, StreamDeletionController],
  providers: [StreamSummaryReader, StreamDeleter, IdWindowDurationReader, StreamSizeAndLagReader],
})
export class StreamsModule {}
