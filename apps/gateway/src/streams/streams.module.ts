import { Module } from '@nestjs/common';
import { IdWindowReader } from './id-windows.js';
import { StreamDeletionController } from './stream-deletion.controller.js';
import { StreamDeletion } from './stream-deletion.js';
import { StreamSummaries } from './stream-summaries.js';
import { StreamController } from './stream.controller.js';
import { StreamsController } from './streams.controller.js';

@Module({
  controllers: [StreamsController, StreamController, StreamDeletionController],
  providers: [StreamSummaries, StreamDeletion, IdWindowReader],
})
export class StreamsModule {}
