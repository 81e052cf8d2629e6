import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../logger.js';
import { traceSpansUnsent } from '../metrics.js';

type Spans = Parameters<SpanExporter['export']>[0];
type Done = Parameters<SpanExporter['export']>[1];

/** The value `SUCCESS` of `ExportResultCode` in @opentelemetry/core. */
const success = 0 as Parameters<Done>[0]['code'];
/** Minimum milliseconds between two log lines about failed exports of spans. */
const quietMs = 60_000;
/** Maximum number of characters of a collector's answer in the log. */
const messageLength = 200;

/** Wraps a span exporter: counts failed exports, logs them at most once a minute, and reports success to the SDK. */
export class FailureLoggingExporter implements SpanExporter {
  private saidAt = -Infinity;
  /** Whether the exporter's last log line reported a failure, so that the next success is logged, too. */
  private complained = false;

  constructor(
    private readonly inner: SpanExporter,
    private readonly logger: Pick<Logger, 'warn' | 'info'>,
    /** Returns milliseconds of a monotonic clock. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  export(spans: Spans, done: Done): void {
    this.inner.export(spans, ({ code, error }) => {
      if (code === success) this.succeeded();
      else this.failed(spans.length, error);
      done({ code: success });
    });
  }

  shutdown(): Promise<void> {
    return this.inner.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.inner.forceFlush?.();
  }

  private succeeded(): void {
    if (this.complained) this.logger.info('The collector accepts traces again');
    this.complained = false;
  }

  private failed(spans: number, error: Error | undefined): void {
    traceSpansUnsent.inc(spans);
    if (this.now() - this.saidAt < quietMs) return;
    this.saidAt = this.now();
    this.complained = true;
    const reason = (error?.message ?? 'unknown').slice(0, messageLength);
    this.logger.warn({ spans, reason }, 'The collector does not accept traces: they are dropped');
  }
}
