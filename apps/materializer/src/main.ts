import { runApp } from '#http';
import { MaterializerConfig } from './config.js';
import { migrate } from './migrate.js';
import { startMaterializer } from './start.js';

await runApp({
  name: 'materializer',
  config: MaterializerConfig,
  start: startMaterializer,
  commands: [{ argument: '--migrate', what: 'makes the tables that are missing, and ends', run: migrate }],
});
