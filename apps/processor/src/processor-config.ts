import { IsInt, Max, Min } from 'class-validator';
import { AppConfig, composeSettings, FromText } from '#api';
import { settingsOf } from '#app';
import { DedupeSettings } from '#dataflow';
import { ConsumerSettings } from '#engine';
import { features } from './features.js';
import { StateSettings } from '#processor-kit';

/** Settings of the processor. */
export class ProcessorSettings {
  /** Port of the processor for health checks and metrics. With 0, the operating system picks a free port. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) PROCESSOR_PORT = 3904;
  /**
   * Maximum number of threads of the processor. A busy processor starts further threads, which take over partitions, and
   * stops them when they are not needed. Each has its own memory, and the STATE_* limits hold for each. With 0, as many
   * as the machine or container has processors, and 512 MiB and twice STATE_CACHED_BYTES of memory for each.
   */
  @FromText('number') @IsInt() @Min(0) @Max(64) PROCESSOR_THREADS = 0;
}

/** The settings that the processor reads. */
export const ProcessorConfig = composeSettings(
  AppConfig,
  ProcessorSettings,
  StateSettings,
  DedupeSettings,
  ConsumerSettings,
  ...settingsOf(features),
);
export type ProcessorConfig = InstanceType<typeof ProcessorConfig>;
