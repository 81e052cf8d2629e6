import type { AppConfig } from '#api';
import { createLogger, type Logger, type Tracing } from '#telemetry';
import { Health } from './health.js';
import { Lifecycle } from './lifecycle.js';

/** Dependencies that an app gets at its start and passes to its HTTP ports. */
export interface AppContext<Config extends AppConfig = AppConfig> {
  name: string;
  config: Config;
  logger: Logger;
  health: Health;
  lifecycle: Lifecycle;
  /** Tracing of this process; undefined while it is off. */
  tracing: Tracing | undefined;
  /** Stops the process in order, with exit code 1, after an error from which it cannot recover. */
  crash(error: Error): void;
}

/** Creates a context without a process. `runApp` uses it, and so do specs. */
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
    crash: options.crash ?? ((error) => logger.fatal({ err: error }, 'fatal error, stopping')),
  };
}
