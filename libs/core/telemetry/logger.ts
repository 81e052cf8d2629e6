import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';

/** A structured logger (pino) that writes one JSON object for each line. */
export type Logger = PinoLogger;

/** Paths in log objects that may contain credentials. Values at these paths are masked at every log level. */
const redacted = [
  'authorization',
  'headers.authorization',
  'req.headers.authorization',
  'request.headers.authorization',
  '*.password',
  'password',
  '*.KAFKA_SASL_PASSWORD',
  '*.CLICKHOUSE_PASSWORD',
  '*.OTEL_EXPORTER_OTLP_HEADERS',
];

/**
 * Creates a logger that writes to stdout (or to `destination`). External text is always inside a JSON string with
 * escaped line breaks, so it cannot forge a log line. Lines are written synchronously, so the last line before an exit
 * is not lost.
 */
export function createLogger(
  options: { name: string; level?: string },
  destination: DestinationStream = pino.destination({ dest: 1, sync: true }),
): Logger {
  return pino(
    {
      level: options.level ?? 'info',
      base: { app: options.name, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // An unset secret need not be masked.
      redact: { paths: redacted, censor: (value: unknown) => (value ? '***' : value) },
      serializers: { err: pino.stdSerializers.err },
    },
    destination,
  );
}
