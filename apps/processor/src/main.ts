import { runApp } from '#http';
import { ProcessorConfig } from './config/processor-config.js';
import { startProcessor } from './start.js';

await runApp({ name: 'processor', config: ProcessorConfig, start: startProcessor });
