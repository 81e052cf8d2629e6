/** Logger that the Kafka adapter writes to; a pino logger fits. */
export type KafkaLogger = Record<
  'error' | 'warn' | 'info' | 'debug',
  (details: object, message: string) => void
>;

const silent = (): void => undefined;
export const silentLogger: KafkaLogger = { error: silent, warn: silent, info: silent, debug: silent };

/** The log level WARN of kafkajs (kafkajs/src/loggers/index.js). */
export const kafkajsWarnLevel = 2;

export interface KafkajsEntry {
  namespace: string;
  log: { message: string; [detail: string]: unknown };
}

/** Logs lines of kafkajs at debug level: it logs each failed try as an error. Callers get errors that last. */
export function kafkajsLogCreator(logger: KafkaLogger): () => (entry: KafkajsEntry) => void {
  return () =>
    ({ namespace, log }) => {
      const { message, timestamp: _timestamp, logger: _logger, stack: _stack, ...details } = log;
      logger.debug({ kafkajs: namespace, ...details }, message);
    };
}
