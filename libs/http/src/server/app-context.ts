import type { AppConfig } from '#api';
import { createLogger, type Logger, type Tracing } from '#telemetry';
import { Health } from './health.js';
import { Lifecycle } from './lifecycle.js';

/** What an app is given at its start, and what it hands on to its HTTP ports. */
export interface AppContext<Config extends AppConfig = AppConfig> {
  name: string;
  config: Config;
  logger: Logger;
  health: Health;
  lifecycle: Lifecycle;
  /** Undefined while tracing is off. */
  tracing: Tracing | undefined;
  /** Ends the process in order, with exit code 1, because it cannot go on by itself. */
  crash(error: Error): void;
}

/** A context without a process around it: `runApp` makes one, and so do specs. */
export function createContext<Config extends AppConfig>(options: {
  name: string;
  config: Config;
  version?: string;
  logger?: Logger;
  tracing?: Tracing;
  crash?: (error: Error) => void;
}): AppContext<Config> {
  const { name, config } = options;
  const logger = options.logger ?? createLogger({ name, level: config.LOG_LEVEL });
  return {
    name,
    config,
    logger,
    health: new Health(options.version),
    lifecycle: new Lifecycle(logger, config.SHUTDOWN_SECONDS),
    tracing: options.tracing,
    crash: options.crash ?? ((error) => logger.fatal({ err: error }, 'cannot go on')),
  };
}
