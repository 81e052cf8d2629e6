import { Outage } from '#async';
import type { Logger } from '#telemetry';

/** Open streams of one process that wait because the store does not give what they read. */
export type StoreOutage = Outage<object>;

/**
 * One line in the log when the store begins to fail them, one when all go on, whatever their number.
 * @param what The streams, in the plural.
 */
export function storeOutage(what: string, logger: Logger): StoreOutage {
  return new Outage({
    began: (error) =>
      logger.warn({ err: error }, `${what} cannot read from the store: trying again until it gives`),
    ended: () => logger.info(`${what} read from the store again`),
  });
}
