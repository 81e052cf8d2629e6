import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';

/** Structured logging: one JSON object a line. */
export type Logger = PinoLogger;

/** Where credentials could turn up in what is logged. Their values are replaced, whatever the level. */
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
 * A logger to stdout (or `destination`). What comes from outside is only ever a JSON string in a line, with line
 * breaks escaped: it cannot start a line of its own. Lines are written synchronously, so the last one before an exit
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
      // That there is none is no secret.
      redact: { paths: redacted, censor: (value: unknown) => (value ? '***' : value) },
      serializers: { err: pino.stdSerializers.err },
    },
    destination,
  );
}
