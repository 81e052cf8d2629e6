import type { LoggerService } from '@nestjs/common';
import type { Logger } from '#telemetry';

/** Returns a logger for Nest that writes structured lines. Nest's start-up messages have the level `debug`. */
export function nestLogger(logger: Logger): LoggerService {
  const nest = logger.child({ from: 'nest' });
  return {
    log: (message: unknown) => nest.debug(String(message)),
    verbose: (message: unknown) => nest.trace(String(message)),
    debug: (message: unknown) => nest.debug(String(message)),
    warn: (message: unknown) => nest.warn(String(message)),
    error: (message: unknown, ...rest: unknown[]) => nest.error({ rest }, String(message)),
    fatal: (message: unknown) => nest.fatal(String(message)),
  };
}
