import { Module, type DynamicModule } from '@nestjs/common';
import {
  DefinitionsModule,
  LogModule,
  modulesOf,
  ProcessModule,
  ProducerModule,
  StoreModule,
  type Feature,
} from '#app';
import type { ProcessContext } from '#http';
import type { ProcessorConfig } from './processor-config.js';
import { TasksModule } from '#processor-kit';

/**
 * Limits of the fetches of one consumer. Each generation of a projection and each job of a pipeline has a consumer of
 * its own.
 */
const fetchBounds = {
  fetchBytes: 4 * 1024 * 1024,
  // One fetch of a partition has about as many events as are folded in one batch.
  fetchPartitionBytes: 2 * 1024 * 1024,
  consumeBytes: 8 * 1024 * 1024,
  fetchWaitMs: 250,
  fetchCollectMs: 100,
};

/** Root module of the processor. Its port serves only health checks and metrics, which every app has. */
@Module({})
export class ProcessorModule {
  static with(context: ProcessContext<ProcessorConfig>, features: readonly Feature[]): DynamicModule {
    const { PROCESSOR_PORT: port, KAFKA_SESSION_TIMEOUT_MS: sessionTimeoutMs } = context.config;
    return {
      module: ProcessorModule,
      imports: [
        ProcessModule.with(context),
        StoreModule,
        LogModule.forRoot({ port, bounds: { sessionTimeoutMs, ...fetchBounds } }),
        ProducerModule,
        DefinitionsModule.forRoot(features),
        TasksModule,
        ...modulesOf(features, 'processor'),
      ],
    };
  }
}
