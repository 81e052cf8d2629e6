import { runApp } from '#http';
import { IngestConfig } from './config/ingest-config.js';
import { startIngest } from './start.js';

await runApp({ name: 'ingest', config: IngestConfig, start: startIngest });
