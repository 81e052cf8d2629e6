import type { AppConfig } from '#api';
import { createLogger, type Logger, type Tracing } from '#telemetry';
import { Health } from './health.js';
import { ProcessLifecycle } from './process-lifecycle.js';

/**
 * Configuration, logger, health, lifecycle and tracing of one process, which its app gets at the start and passes to
 * its HTTP ports.
 */
export interface ProcessContext<Config extends AppConfig = AppConfig> {
  name: string;
  config: Config;
  logger: Logger;
  health: Health;
  lifecycle: ProcessLifecycle;
  /** Tracing of this process; undefined while it is off. */
  tracing: Tracing | undefined;
  /**
   * Reports an error from which the app cannot recover. Under `runApp`, the process then stops in order with exit code
   * 1.
   */
  crash(error: Error): void;
}

/** Creates the context of an app, without starting anything. `runApp` and specs use it. */
export function createContext<Config extends AppConfig>(options: {
  name: string;
  config: Config;
  version?: string;
  logger?: Logger;
  tracing?: Tracing;
  crash?: (error: Error) => void;
}): ProcessContext<Config> {
  const { name, config } = options;
  const logger = options.logger ?? createLogger({ name, level: config.LOG_LEVEL });
  return {
    name,
    config,
    logger,
    health: new Health(options.version),
    lifecycle: new ProcessLifecycle(logger, config.SHUTDOWN_SECONDS),
    tracing: options.tracing,
    crash: options.crash ?? ((error) => logger.fatal({ err: error }, 'fatal error, stopping')),
  };
}
