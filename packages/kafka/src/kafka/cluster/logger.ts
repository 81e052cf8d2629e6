/** Logger that the Kafka adapter writes to; a pino logger fits. */
export interface KafkaLogger {
  error(details: object, message: string): void;
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
  debug(details: object, message: string): void;
}

export const silentLogger: KafkaLogger = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

/** The log level WARN of kafkajs (kafkajs/src/loggers/index.js). */
export const kafkajsWarnLevel = 2;

export interface KafkajsEntry {
  namespace: string;
  log: { message: string; [detail: string]: unknown };
}

/**
 * Forwards the log lines of kafkajs at debug level. kafkajs logs each failed try as an error, several a second while a
 * broker is down. An error that retries cannot fix reaches the caller.
 */
export function kafkajsLogCreator(logger: KafkaLogger): () => (entry: KafkajsEntry) => void {
  return () =>
    ({ namespace, log }) => {
      const { message, timestamp: _timestamp, logger: _logger, stack: _stack, ...details } = log;
      logger.debug({ kafkajs: namespace, ...details }, message);
    };
}
