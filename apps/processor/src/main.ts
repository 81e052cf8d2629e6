import { runApp } from '#http';
import { ProcessorConfig } from './processor-config.js';
import { startProcessor } from './start.js';
import { mostThreads } from './most-threads.js';

await runApp({
  name: 'processor',
  config: ProcessorConfig,
  start: startProcessor,
  threads: { entry: import.meta.url, most: ({ PROCESSOR_THREADS }) => PROCESSOR_THREADS || mostThreads() },
});
