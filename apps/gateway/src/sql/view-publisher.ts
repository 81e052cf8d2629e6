import type { Definitions } from '#registry';
import { isRetryableStoreError, type AnalystSql } from '#store';
import type { Logger } from '#telemetry';
import { analystViews } from './analyst-views.js';

export interface ViewPublisherOptions {
  sql: Pick<AnalystSql, 'publish'>;
  definitions: Definitions;
  logger: Logger;
  /** Milliseconds for which changes are collected; default 200. */
  settleMs?: number;
  /** Milliseconds until views are compared without a change, or after a failure; defaults 30 000 and 5 000. */
  compareMs?: number;
  retryMs?: number;
}

/**
 * Publishes the views of analysts whenever definitions change. It also compares them regularly: a restored database has
 * older views, and a gateway that is behind may delete a new view.
 */
export class ViewPublisher {
  private timer: NodeJS.Timeout | undefined;
  /** When the timer fires, in milliseconds of `performance.now()`. */
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
          'Some views of analysts could not be published; the error names them; trying again',
        );
      this.within(retryMs);
    }
  }
}
