/** Sends odd log records with the exporters of OpenTelemetry for JavaScript, as JSON and as protobuf. */
import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter as JsonExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';

const exporter = process.argv[2] === 'json' ? new JsonExporter() : new ProtobufExporter();
const provider = new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter })] });
const logger = provider.getLogger('odd');
logger.emit({
  timestamp: [1795000000, 123456789],
  severityNumber: SeverityNumber.WARN,
  severityText: 'WARN',
  body: { list: [1, null, 'a'], map: {} },
  attributes: {
    text: 'Žluťoučký 😀\0',
    integer: 17,
    large: 2 ** 53,
    double: 12.5,
    boolean: false,
    bytes: new Uint8Array([0, 1, 255]),
    list: ['a', 'b'],
    half: 'a\ud83d',
  },
});
logger.emit({ eventName: 'empty' });
await provider.shutdown();
