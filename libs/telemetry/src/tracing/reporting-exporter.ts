import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../logger.js';
import { traceSpansUnsent } from '../metrics.js';

type Spans = Parameters<SpanExporter['export']>[0];
type Done = Parameters<SpanExporter['export']>[1];

/** `ExportResultCode` of @opentelemetry/core. */
const success = 0 as Parameters<Done>[0]['code'];
/** Milliseconds between two lines about a collector that does not answer. */
const quietMs = 60_000;
/** What a collector answers is not ours: so much of it at most goes to the log. */
const messageLength = 200;

/** An exporter whose failures are counted, and logged once a minute. Nobody has to do anything about them. */
export class ReportingExporter implements SpanExporter {
  private saidAt = -Infinity;
  /** The last line said that it fails. */
  private complained = false;

  constructor(
    private readonly inner: SpanExporter,
    private readonly logger: Pick<Logger, 'warn' | 'info'>,
    /** Milliseconds, never going back. */
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
    if (this.complained) this.logger.info('The collector takes traces again');
    this.complained = false;
  }

  private failed(spans: number, error: Error | undefined): void {
    traceSpansUnsent.inc(spans);
    if (this.now() - this.saidAt < quietMs) return;
    this.saidAt = this.now();
    this.complained = true;
    const reason = (error?.message ?? 'unknown').slice(0, messageLength);
    this.logger.warn({ spans, reason }, 'The collector does not take traces: they are dropped');
  }
}
