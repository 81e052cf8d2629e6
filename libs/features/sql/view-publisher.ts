import type { Definitions } from '#registry';
import { isRetryableStoreError } from '#store';
import type { Logger } from '#telemetry';
import { analystViews } from './analyst-views.js';
import type { AnalystSqlRunner } from './clickhouse/analyst-sql-runner.js';

/** What `ViewPublisher` publishes, and when. */
interface ViewPublisherOptions {
  sql: Pick<AnalystSqlRunner, 'publish'>;
  definitions: Definitions;
  logger: Logger;
  /**
   * Milliseconds from the first change of a definition until the views are published. Changes during this time are
   * published together, and do not extend it. Default: 200.
   */
  settleMs?: number;
  /**
   * Milliseconds from one publication to the next if no definition changes; default 30 000. After a failure, `retryMs`
   * applies; default 5 000.
   */
  compareMs?: number;
  retryMs?: number;
}

/**
 * Publishes the views of analysts whenever definitions change. The publisher also publishes the views regularly without
 * a change: a restored database has older views, and a gateway process with outdated definitions may delete a new view.
 */
export class ViewPublisher {
  private timer: NodeJS.Timeout | undefined;
  /** Time of the next publication, in milliseconds of `performance.now()`. */
  private due = Infinity;
  private stopListening: (() => void) | undefined;
  private closed = false;

  constructor(private readonly options: ViewPublisherOptions) {}

  /** Starts publishing. The tables must exist. */
  start(): void {
    const { definitions, settleMs = 200 } = this.options;
    this.stopListening = definitions.onChange(() => this.within(settleMs));
    this.within(0);
  }

  close(): void {
    this.closed = true;
    this.stopListening?.();
    clearTimeout(this.timer);
  }

  /** Publishes after this time in milliseconds, or earlier if an earlier time is set. */
  private within(ms: number): void {
    const at = performance.now() + ms;
    if (this.closed || at >= this.due) return;
    clearTimeout(this.timer);
    this.due = at;
    this.timer = setTimeout(() => void this.publish(), ms);
    this.timer.unref();
  }

  private async publish(): Promise<void> {
    const { sql, definitions, logger, compareMs = 30_000, retryMs = 5_000 } = this.options;
    this.due = Infinity;
    try {
      await sql.publish(analystViews(definitions));
      this.within(compareMs);
    } catch (err) {
      if (!isRetryableStoreError(err))
        logger.error(
          { err },
          'Views of analysts could not be published; the error says which and why; trying again',
        );
      this.within(retryMs);
    }
  }
}
