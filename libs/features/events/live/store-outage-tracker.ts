import { OutageTracker } from '#async';
import type { Logger } from '#telemetry';

/** The open streams of one process that wait because reading from the store fails. */
export type StoreOutageTracker = OutageTracker<object>;

/**
 * Writes one log line when a store read of any of these live streams begins to fail, and one when all of them can read
 * again.
 * @param what name of the streams in the plural
 */
export function storeOutage(what: string, logger: Logger): StoreOutageTracker {
  return new OutageTracker({
    began: (error) =>
      logger.warn({ err: error }, `${what} cannot read from the store: trying again until it answers`),
    ended: () => logger.info(`${what} read from the store again`),
  });
}
