import { runApp } from '#http';
import { MaterializerConfig } from './config/materializer-config.js';
import { migrate } from './migrate.js';
import { startMaterializer } from './start.js';

await runApp({
  name: 'materializer',
  config: MaterializerConfig,
  start: startMaterializer,
  commands: [{ argument: '--migrate', what: 'creates the missing tables and exits', run: migrate }],
});
