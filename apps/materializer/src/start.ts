import { startHttpApp, type ProcessContext } from '#http';
import type { MaterializerConfig } from './config/materializer-config.js';
import { MaterializerModule } from './materializer.module.js';

/**
 * Starts the materializer. The HTTP port opens first, so that probes see the process start. The start then creates the
 * tables, reads the definitions, and subscribes to the streams.
 */
export async function startMaterializer(context: ProcessContext<MaterializerConfig>): Promise<void> {
  const { HOST: host, MATERIALIZER_PORT: port } = context.config;
  await startHttpApp({
    context,
    module: MaterializerModule.with(context),
    listen: { host, port, variable: 'MATERIALIZER_PORT' },
  });
  await context.lifecycle.start();
}
