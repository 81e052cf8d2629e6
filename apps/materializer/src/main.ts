import { runApp } from '#http';
import { MaterializerConfig } from './config.js';
import { startMaterializer } from './start.js';

await runApp({ name: 'materializer', config: MaterializerConfig, start: startMaterializer });
