import type { AppConfig } from '#api';
import { createLogger, type Logger, type Tracing } from '#telemetry';
import type { AppThreads } from './app-threads.js';
import { ownThread } from './app-thread.js';
import { Health } from './health.js';
import { ProcessLifecycle } from './process-lifecycle.js';

/** What an app and its HTTP ports get at the start of the process. */
export interface ProcessContext<Config extends AppConfig = AppConfig> {
  name: string;
  config: Config;
  logger: Logger;
  health: Health;
  lifecycle: ProcessLifecycle;
  /** Number of the thread that runs the app: 0 for the main thread, which alone has HTTP ports. */
  thread: number;
  /** Further threads that run the app; undefined in them, and for an app that has none. */
  threads: AppThreads | undefined;
  /** Tracing of this process; undefined while it is off. */
  tracing: Tracing | undefined;
  /** Reports an error from which the app cannot recover. `runApp` then stops the process in order with exit code 1. */
  crash(error: Error): void;
}

interface ContextOptions<Config extends AppConfig>
  extends
    Pick<ProcessContext<Config>, 'name' | 'config'>,
    Partial<Pick<ProcessContext, 'logger' | 'tracing' | 'crash'>> {
  version?: string;
}

/** Creates the context of an app, without starting anything. `runApp` and specs use it. */
export function createContext<Config extends AppConfig>(
  options: ContextOptions<Config>,
): ProcessContext<Config> {
  const { name, config, version, tracing } = options;
  const { logger = createLogger({ name, level: config.LOG_LEVEL }) } = options;
  return {
    name,
    config,
    logger,
    health: new Health(version),
    lifecycle: new ProcessLifecycle(logger, config.SHUTDOWN_SECONDS),
    thread: ownThread,
    threads: undefined,
    tracing,
    crash: options.crash ?? ((error) => logger.fatal({ err: error }, 'fatal error, stopping')),
  };
}
