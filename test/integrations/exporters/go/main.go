// Sends odd log records with the exporter of OpenTelemetry for Go, which the environment configures.
package main

import (
	"context"
	"log"
	"math"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	logapi "go.opentelemetry.io/otel/log"
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

	var record logapi.Record
	record.SetTimestamp(time.Unix(0, 1795000000123456789))
	record.SetSeverity(logapi.SeverityWarn)
	record.SetSeverityText("WARN")
	record.SetBody(attribute.MapValue(
		attribute.Slice("list", attribute.IntValue(1), attribute.Value{}, attribute.StringValue("a")),
		attribute.Map("map"),
	))
	record.AddAttributes(
		attribute.String("text", "Žluťoučký 😀\x00"),
		attribute.Int64("integer", math.MaxInt64),
		attribute.Float64("double", 12.5),
		attribute.Bool("boolean", false),
		attribute.ByteSlice("bytes", []byte{0, 1, 255}),
		attribute.Slice("list", attribute.StringValue("a"), attribute.StringValue("b")),
		attribute.Int("twice", 1),
		attribute.String("twice", "last"),
		attribute.Map("inner", attribute.Int("twice", 1), attribute.Int("twice", 2)),
	)
	logger.Emit(ctx, record)

	var empty logapi.Record
	empty.SetEventName("empty")
	logger.Emit(ctx, empty)
	if err := provider.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
}
