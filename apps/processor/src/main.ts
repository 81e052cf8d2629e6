import { runApp } from '#http';
import { ProcessorConfig } from './processor-config.js';
import { startProcessor } from './start.js';
import { mostThreads } from './most-threads.js';

const most = ({ PROCESSOR_THREADS, STATE_CACHED_BYTES }: ProcessorConfig): number =>
  PROCESSOR_THREADS || mostThreads(STATE_CACHED_BYTES);

await runApp({
  name: 'processor',
  config: ProcessorConfig,
  start: startProcessor,
  threads: { entry: import.meta.url, most },
});
