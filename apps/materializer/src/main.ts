import { runApp } from '#http';
import { MaterializerConfig } from './materializer-config.js';
import { migrate, startMaterializer } from './start.js';

await runApp({
  name: 'materializer',
  config: MaterializerConfig,
  start: startMaterializer,
  commands: [{ argument: '--migrate', what: 'creates the missing tables and exits', run: migrate }],
});
