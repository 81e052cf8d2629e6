// Sends odd log records with the exporter of OpenTelemetry for Go, which the environment configures.
package main

import (
	"context"
	"log"
	"math"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	otellog "go.opentelemetry.io/otel/log"
	sdk "go.opentelemetry.io/otel/sdk/log"
)

func main() {
	ctx := context.Background()
	exporter, err := otlploghttp.New(ctx)
	if err != nil {
		log.Fatal(err)
	}
	// The option sends an attribute twice if it was set twice, as some SDKs always do.
	processor := sdk.NewBatchProcessor(exporter)
	provider := sdk.NewLoggerProvider(sdk.WithProcessor(processor), sdk.WithAllowKeyDuplication())
	logger := provider.Logger("odd")

	var record otellog.Record
	record.SetTimestamp(time.Unix(0, 1795000000123456789))
	record.SetSeverity(otellog.SeverityWarn)
	record.SetSeverityText("WARN")
	record.SetBody(otellog.MapValue(
		otellog.Slice("list", otellog.IntValue(1), otellog.Value{}, otellog.StringValue("a")),
		otellog.Map("map"),
	))
	record.AddAttributes(
		otellog.String("text", "Žluťoučký 😀\x00"),
		otellog.Int64("integer", math.MaxInt64),
		otellog.Float64("double", 12.5),
		otellog.Bool("boolean", false),
		otellog.Bytes("bytes", []byte{0, 1, 255}),
		otellog.Slice("list", otellog.StringValue("a"), otellog.StringValue("b")),
		otellog.Int("twice", 1),
		otellog.String("twice", "last"),
		otellog.Map("inner", otellog.Int("twice", 1), otellog.Int("twice", 2)),
	)
	logger.Emit(ctx, record)

	var empty otellog.Record
	empty.SetEventName("empty")
	logger.Emit(ctx, empty)
	if err := provider.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
}
