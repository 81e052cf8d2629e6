/** Where the adapter reports; pino's loggers are such. */
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

/** kafkajs/src/loggers/index.js */
export const kafkajsWarnLevel = 2;

interface KafkajsEntry {
  namespace: string;
  log: { message: string; [detail: string]: unknown };
}

/**
 * Hands kafkajs' lines on, for debugging only: what it calls an error is mostly one of many tries, several a second
 * while a broker is down. What cannot be mended reaches the caller as an error.
 */
export function kafkajsLogCreator(logger: KafkaLogger): () => (entry: KafkajsEntry) => void {
  return () =>
    ({ namespace, log }) => {
      const { message, timestamp: _timestamp, logger: _logger, stack: _stack, ...details } = log;
      logger.debug({ kafkajs: namespace, ...details }, message);
    };
}
