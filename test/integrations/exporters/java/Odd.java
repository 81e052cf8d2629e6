import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.KeyValue;
import io.opentelemetry.api.common.Value;
import io.opentelemetry.api.logs.Severity;
import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.export.BatchLogRecordProcessor;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sends odd log records with the exporter of OpenTelemetry for Java to the endpoint in the environment. */
class Odd {
  public static void main(String[] parameters) {
    var exporter =
        OtlpHttpLogRecordExporter.builder()
            .setEndpoint(System.getenv("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"))
            .setCompression("gzip")
            .build();
    var provider =
        SdkLoggerProvider.builder()
            .addLogRecordProcessor(BatchLogRecordProcessor.builder(exporter).build())
            .build();
    var logger = provider.get("odd");
    logger
        .logRecordBuilder()
        .setTimestamp(1795000000123456789L, TimeUnit.NANOSECONDS)
        .setSeverity(Severity.WARN)
        .setSeverityText("WARN")
        .setBody(
            Value.of(
                KeyValue.of("list", Value.of(Value.of(1), Value.of("a"))),
                KeyValue.of("map", Value.of(new KeyValue[0])),
                KeyValue.of("bytes", Value.of(new byte[] {0, 1, -1})),
                KeyValue.of("twice", Value.of(1)),
                KeyValue.of("twice", Value.of("last"))))
        .setAttribute(AttributeKey.stringKey("text"), "Žluťoučký 😀\0")
        .setAttribute(AttributeKey.longKey("integer"), Long.MAX_VALUE)
        .setAttribute(AttributeKey.doubleKey("double"), 12.5)
        .setAttribute(AttributeKey.booleanKey("boolean"), false)
        .setAttribute(AttributeKey.stringArrayKey("list"), List.of("a", "b"))
        .setAttribute(AttributeKey.stringKey("half"), "a\ud83d")
        .emit();
    logger.logRecordBuilder().setEventName("empty").emit();
    var result = provider.shutdown().join(30, TimeUnit.SECONDS);
    System.exit(result.isSuccess() ? 0 : 1);
  }
}
