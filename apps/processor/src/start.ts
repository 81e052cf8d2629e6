import { startHttpApp, type ProcessContext } from '#http';
import type { ProcessorConfig } from './processor-config.js';
import { features } from './features.js';
import { ProcessorModule } from './processor.module.js';

/**
 * Starts the processor. The HTTP port opens first, so that probes see the process start. The start then creates the
 * tables, reads the definitions, and starts projections, pipelines and snapshots.
 */
export async function startProcessor(context: ProcessContext<ProcessorConfig>): Promise<void> {
  const { HOST: host, PROCESSOR_PORT: port } = context.config;
  await startHttpApp({
    context,
    module: ProcessorModule.with(context, features),
    ...(context.thread === 0 && { listen: { host, port, variable: 'PROCESSOR_PORT' } }),
  });
  await context.lifecycle.start();
}
